import { type Static, type TSchema, Type } from 'typebox'
import { ConnectionAuth } from '../../scim/schema.ts'

const strict = { additionalProperties: false } as const
const Url = Type.String({ minLength: 1, maxLength: 2000, pattern: '^https?://' })
const Name = Type.String({ minLength: 1, maxLength: 200 })
const Path = Type.String({ minLength: 1, maxLength: 500 })
/** Null is what a read returns for a member that is not set; it can be sent again. */
const orNull = <T extends TSchema>(type: T) => Type.Optional(Type.Union([type, Type.Null()]))

const PageSize = Type.Integer({ minimum: 1, maximum: 10_000, description: '100 by default' })
const TotalPath = orNull(
  Type.String({
    minLength: 1,
    maxLength: 500,
    description: 'Where the response says how many records there are; else X-Total-Count is used',
  }),
)

const Limits = Type.Object(
  { perSecond: orNull(Type.Number({ minimum: 0.1, maximum: 1000 })) },
  strict,
)

const Format = Type.Enum(['json', 'jsonl', 'csv'])

const Delimiter = Type.Enum([',', ';', '\t'], {
  description: 'Of CSV; found in the header row when absent',
})

/** Each kind names the parameters of the request; responses are in docs/imports.md. */
const Paging = Type.Union(
  [
    Type.Object({ type: Type.Literal('none') }, strict),
    Type.Object(
      {
        type: Type.Literal('offset'),
        limitParam: Type.Optional(Name),
        offsetParam: Type.Optional(Name),
        pageSize: Type.Optional(PageSize),
        totalPath: TotalPath,
      },
      strict,
    ),
    Type.Object(
      {
        type: Type.Literal('page'),
        pageParam: Type.Optional(Name),
        sizeParam: orNull(Name),
        firstPage: Type.Optional(Type.Integer({ minimum: 0, maximum: 1 })),
        pageSize: Type.Optional(PageSize),
        totalPath: TotalPath,
      },
      strict,
    ),
    Type.Object(
      {
        type: Type.Literal('cursor'),
        cursorParam: Type.Optional(Name),
        cursorPath: Type.Optional(Path),
        sizeParam: orNull(Name),
        pageSize: Type.Optional(PageSize),
      },
      strict,
    ),
    Type.Object(
      {
        type: Type.Literal('link'),
        nextPath: orNull(
          Type.String({
            minLength: 1,
            maxLength: 500,
            description: 'Where the response has the next URL, instead of its Link header',
          }),
        ),
      },
      strict,
    ),
  ],
  { title: 'ImportPaging' },
)

export const RestSource = Type.Object(
  {
    kind: Type.Literal('rest'),
    baseUrl: Url,
    auth: Type.Union([ConnectionAuth, Type.Object({ type: Type.Literal('none') }, strict)]),
    listPath: Type.Optional(
      Type.String({ maxLength: 1000, pattern: '^[^?#]*$', description: 'Below the base URL' }),
    ),
    query: Type.Optional(
      Type.Record(Type.String({ minLength: 1, maxLength: 200 }), Type.String({ maxLength: 2000 }), {
        maxProperties: 50,
        description: 'Parameters of every request',
      }),
    ),
    recordPath: orNull(
      Type.String({
        minLength: 1,
        maxLength: 500,
        description:
          'Where a JSON response has the list, such as data.items; the response is the list when absent',
      }),
    ),
    format: Type.Optional(Format),
    delimiter: orNull(Delimiter),
    paging: Type.Optional(Paging),
    limits: Type.Optional(Limits),
  },
  { title: 'ImportRestSource', ...strict },
)

export const ScimSource = Type.Object(
  {
    kind: Type.Literal('scim'),
    baseUrl: Url,
    auth: ConnectionAuth,
    filter: orNull(Type.String({ minLength: 1, maxLength: 2000 })),
    limits: Type.Optional(Limits),
  },
  { title: 'ImportScimSource', ...strict },
)

export const FileSource = Type.Object(
  {
    kind: Type.Literal('file'),
    format: Format,
    recordPath: orNull(Path),
    delimiter: orNull(Delimiter),
    charset: Type.Optional(
      Type.Enum(['utf-8', 'utf-16', 'iso-8859-1', 'windows-1252'], {
        description: 'utf-8 by default; a byte order mark takes precedence',
      }),
    ),
  },
  { title: 'ImportFileSource', ...strict },
)

export const SourceConfig = Type.Union([RestSource, ScimSource, FileSource], {
  title: 'ImportSource',
})
export type SourceConfig = Static<typeof SourceConfig>
