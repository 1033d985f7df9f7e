import { Type } from 'typebox'

const Attributes = Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()])

const GraphObject = Type.Object(
  { attributes: Type.Optional(Attributes), id: Type.String(), type: Type.String() },
  { title: 'GraphObject' },
)

export const GraphConnection = Type.Object(
  { attributes: Attributes, to: GraphObject },
  { title: 'GraphConnection' },
)
export type GraphConnection = Type.Static<typeof GraphConnection>

export const GraphObjectWithPaths = Type.Object(
  {
    id: Type.String(),
    type: Type.String(),
    compiledAttributes: Type.Object({}, { additionalProperties: true }),
    paths: Type.Array(Type.Array(GraphConnection)),
  },
  { title: 'GraphObjectWithPaths', additionalProperties: true },
)
export type GraphObjectWithPaths = Type.Static<typeof GraphObjectWithPaths>

const OPERATIONS = ['add', 'remove', 'update'] as const

/** The body of a POST to `associations` or `members`; `types` are the ones that the address accepts. */
export const graphOperation = (title: string, types: readonly string[]) =>
  Type.Object(
    {
      op: Type.Enum([...OPERATIONS], {
        description: 'add, remove, or update: update changes the attributes only',
      }),
      type: Type.Enum([...types]),
      id: Type.String(),
      attributes: Type.Optional(Attributes),
    },
    { title, additionalProperties: true },
  )

export interface GraphOperation {
  op: (typeof OPERATIONS)[number]
  type: string
  id: string
  attributes?: Record<string, unknown> | null
}

const ExplainedNode = Type.Object(
  { type: Type.String(), id: Type.String(), name: Type.Optional(Type.String()) },
  { title: 'AccessNode' },
)
const ExplainedEdge = Type.Object(
  {
    from: ExplainedNode,
    to: ExplainedNode,
    attributes: Attributes,
    since: Type.String({ format: 'date-time' }),
    until: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
    grantedBy: Type.Union(
      [
        Type.Object(
          {
            id: Type.String(),
            event: Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()], {
              description: 'Null when the event is no longer kept',
            }),
          },
          { title: 'AccessGrant' },
        ),
        Type.Null(),
      ],
      { description: 'The event that made this edge' },
    ),
  },
  { title: 'AccessEdge' },
)

/** Reasons why a user has no access. */
const REFUSALS = [
  'no_path',
  'user_staged',
  'user_suspended',
  'user_locked',
  'application_inactive',
] as const

export const AccessExplanation = Type.Object(
  {
    user: ExplainedNode,
    target: ExplainedNode,
    at: Type.String({ format: 'date-time' }),
    userState: Type.Optional(
      Type.Enum(['STAGED', 'ACTIVATED', 'SUSPENDED'], {
        description: 'At that time; omitted when its events are no longer kept',
      }),
    ),
    allowed: Type.Boolean({
      description: 'There is a path, and nothing known keeps the user from using it',
    }),
    reason: Type.Union([Type.Enum([...REFUSALS]), Type.Null()], {
      description:
        'Why access is denied. user_locked and application_inactive are reported for the present only',
    }),
    paths: Type.Array(Type.Array(ExplainedEdge)),
  },
  { title: 'AccessExplanation' },
)
export type AccessExplanation = Type.Static<typeof AccessExplanation>
