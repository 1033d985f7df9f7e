import Schema from 'typebox/schema'
import { BY_NAME, BY_TITLE, ID, NAMED } from './example-values.ts'

type Json = Record<string, unknown>

/** Interpreted: compiling a schema for one value takes a hundred times longer than checking it. */
const fits = (schema: Json, value: unknown): boolean => Schema.Check(schema, value)

const FORMATS: Record<string, string> = {
  'date-time': '2026-03-02T09:15:00.000Z',
  date: '2026-03-02',
  email: 'ada@example.com',
  uri: 'https://example.com',
  uuid: '0197a3c2-5d1e-7c44-9b1f-3a5e8d2c7f60',
}

const isNull = ({ type, const: constant }: Json): boolean => type === 'null' || constant === ''

function textOf(schema: Json, name: string): string {
  const text = FORMATS[String(schema.format)] ?? (/(_id|Id)$/.test(name) ? ID : 'text')
  return [text, ID, 'text that is long enough'].find((one) => fits(schema, one)) ?? text
}

function numberOf({ minimum = 0, exclusiveMinimum }: Json): number {
  return Math.max(
    1,
    Number(minimum),
    exclusiveMinimum === undefined ? 1 : Number(exclusiveMinimum) + 1,
  )
}

/** Members that a caller would send or see: the required ones, and those whose value says something. */
function objectOf(schema: Json, depth: number): Json {
  const { properties = {}, required = [] } = schema as {
    properties?: Record<string, Json>
    required?: string[]
  }
  const entries: [string, unknown][] = []
  const own = NAMED[String(schema.title)]
  const said: Json = own ? { ...own, displayName: own.name } : {}
  for (const [name, property] of Object.entries(properties)) {
    const known = BY_NAME[name]?.some((value) => fits(property, value))
    if (!required.includes(name) && !known) continue
    if (name in said && fits(property, said[name])) entries.push([name, said[name]])
    else if (depth < 6) entries.push([name, exampleOf(property, name, depth + 1)])
  }
  return Object.fromEntries(entries)
}

/** A value that fits the schema and means something, for the contract. */
export function exampleOf(schema: Json, name = '', depth = 0): unknown {
  if (schema.example !== undefined) return schema.example
  const titled = BY_TITLE[String(schema['x-component'] ?? schema.title)]
  if (titled !== undefined && fits(schema, titled)) return titled
  const named = BY_NAME[name]?.find((value) => fits(schema, value))
  if (named !== undefined) return named
  if (schema.const !== undefined) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum.find((value) => value !== '')
  if (schema.default !== undefined) return schema.default
  const alternatives = (schema.anyOf ?? schema.oneOf) as Json[] | undefined
  if (alternatives)
    return exampleOf(alternatives.find((one) => !isNull(one)) ?? alternatives[0]!, name, depth)
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  switch (type) {
    case 'string':
      return textOf(schema, name)
    case 'integer':
    case 'number':
      return numberOf(schema)
    case 'boolean':
      return true
    case 'null':
      return null
    case 'array': {
      const { items } = schema
      if (Array.isArray(items)) return items.map((item) => exampleOf(item, '', depth + 1))
      return items && depth < 6 ? [exampleOf(items as Json, name.replace(/s$/, ''), depth + 1)] : []
    }
    default:
      return objectOf(schema, depth)
  }
}
