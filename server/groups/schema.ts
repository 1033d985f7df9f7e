import { type Static, Type } from 'typebox'

const MEMBERSHIP_METHODS = [
  'NOTSET',
  'STATIC',
  'DYNAMIC_REVIEW_REQUIRED',
  'DYNAMIC_AUTOMATED',
] as const
export const MembershipMethod = Type.Enum([...MEMBERSHIP_METHODS])
export type MembershipMethod = Static<typeof MembershipMethod>

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()])
const optionalText = Type.Optional(nullable(Type.String()))

const FreeAttributes = Type.Object({}, { additionalProperties: true })

/** Other keys are stored as sent and appear in compiled attributes. */
const UserGroupAttributes = Type.Object(
  {
    sudo: Type.Optional(
      nullable(
        Type.Object({
          enabled: Type.Boolean(),
          withoutPassword: Type.Optional(Type.Boolean({ description: 'false by default' })),
        }),
      ),
    ),
    ldapGroups: Type.Optional(nullable(Type.Array(Type.Object({ name: Type.String() })))),
    posixGroups: Type.Optional(
      nullable(Type.Array(Type.Object({ id: Type.Integer(), name: Type.String() }))),
    ),
    radius: Type.Optional(
      nullable(
        Type.Object({
          reply: Type.Optional(
            nullable(Type.Array(Type.Object({ name: Type.String(), value: Type.String() }))),
          ),
        }),
      ),
    ),
    sambaEnabled: Type.Optional(nullable(Type.Boolean())),
  },
  { title: 'UserGroupAttributes', additionalProperties: true },
)

export const MemberQuery = Type.Object(
  {
    queryType: Type.Optional(Type.String({ description: 'Filter, FilterQuery or Search' })),
    filters: Type.Optional(nullable(Type.Array(FreeAttributes))),
    searchFilters: Type.Optional(nullable(FreeAttributes)),
  },
  { title: 'MemberQuery', additionalProperties: true },
)
export type MemberQuery = Static<typeof MemberQuery>

const Exemption = Type.Object(
  { type: Type.String(), id: Type.String() },
  { title: 'MemberQueryExemption', additionalProperties: true },
)

const Exemptions = Type.Array(Exemption, { maxItems: 10_000 })

const writable = (attributes: typeof FreeAttributes | typeof UserGroupAttributes) => ({
  name: Type.String({ minLength: 1, maxLength: 255 }),
  description: optionalText,
  email: optionalText,
  attributes: Type.Optional(nullable(attributes)),
  membershipMethod: Type.Optional(nullable(MembershipMethod)),
  memberQuery: Type.Optional(nullable(MemberQuery)),
  memberQueryExemptions: Type.Optional(nullable(Exemptions)),
  memberSuggestionsNotify: Type.Optional(nullable(Type.Boolean())),
})

export const UserGroupPost = Type.Object(writable(UserGroupAttributes), { title: 'UserGroupPost' })
export const UserGroupPut = Type.Object(writable(UserGroupAttributes), { title: 'UserGroupPut' })
export const SystemGroupPost = Type.Object(writable(FreeAttributes), { title: 'SystemGroupPost' })
export const SystemGroupPut = Type.Object(writable(FreeAttributes), { title: 'SystemGroupPut' })
export type GroupWrite = Static<typeof SystemGroupPost>

const listed = {
  id: Type.String(),
  name: Type.String(),
  type: Type.String(),
  description: Type.String(),
  email: Type.String(),
  attributes: nullable(FreeAttributes),
}
/** The list entry, without the rule. `fields` may leave members out. */
export const Group = Type.Partial(Type.Object(listed), { title: 'Group' })

const detailed = {
  ...listed,
  membershipMethod: MembershipMethod,
  memberQuery: Type.Optional(MemberQuery),
  memberQueryExemptions: Type.Array(
    Type.Object({
      id: Type.String(),
      type: Type.String(),
      attributes: Type.Null(),
      organizationId: Type.String(),
    }),
  ),
  memberQueryErrorFlags: Type.Array(Type.String()),
  memberSuggestionsNotify: Type.Boolean(),
  organizationObjectId: Type.String(),
}
const SuggestionCounts = Type.Object(
  { add: Type.Integer(), remove: Type.Integer(), total: Type.Integer() },
  { title: 'SuggestionCounts' },
)
export const UserGroup = Type.Object(
  { ...detailed, suggestionCounts: SuggestionCounts },
  { title: 'UserGroup' },
)
export const SystemGroup = Type.Object(detailed, { title: 'SystemGroup' })
export type GroupDetail = Static<typeof SystemGroup> & {
  suggestionCounts?: Static<typeof SuggestionCounts>
}

const Member = Type.Object({ id: Type.String(), type: Type.String(), attributes: Type.Null() })
export const MemberSuggestion = Type.Object(
  { op: Type.Enum(['add', 'remove']), object: Member },
  { title: 'MemberSuggestion' },
)

export const PreviewRequest = Type.Object(
  {
    memberQuery: Type.Optional(nullable(MemberQuery)),
    memberQueryExemptions: Type.Optional(nullable(Exemptions)),
  },
  { title: 'MembershipPreviewRequest' },
)
export type PreviewRequest = Static<typeof PreviewRequest>
const Part = Type.Object({
  total: Type.Integer(),
  objects: Type.Array(Member, { description: 'The first hundred' }),
})
export const Preview = Type.Object(
  { matching: Part, add: Part, remove: Part },
  { title: 'MembershipPreview' },
)
export type Preview = Static<typeof Preview>

export const Directory = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    type: Type.String(),
    defaultDomain: Type.Optional(Type.Object({}, { additionalProperties: true })),
    oAuthStatus: Type.Optional(Type.Object({}, { additionalProperties: true })),
    organizationId: Type.Optional(Type.String()),
  },
  { title: 'Directory' },
)
