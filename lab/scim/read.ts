import { badRequest } from './errors.ts'
import { type Attribute, attributeOf, type ResourceType } from './schemas.ts'

export type Json = Record<string, unknown>

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** RFC 7643 §2.5: null and the empty array mean "no value". */
export const isUnassigned = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0)

/** What makes two values of a multi-valued attribute the same. A member is its id, whatever its display name. */
export const keyOf = ({ name }: Attribute, value: unknown): string =>
  isObject(value)
    ? name === 'members'
      ? String(value.value)
      : JSON.stringify(value, Object.keys(value).sort())
    : JSON.stringify(value)

/** Keeps the first of equal values. */
function unique(attribute: Attribute, values: unknown[]): unknown[] {
  const seen = new Set<string>()
  return values.filter((value) => {
    const key = keyOf(attribute, value)
    return !seen.has(key) && seen.add(key)
  })
}

/** One value of the attribute, with the names of the schema. */
export function readOne(attribute: Attribute, value: unknown): unknown {
  const { name, type, subAttributes } = attribute
  if (type === 'complex') {
    if (!isObject(value)) throw badRequest('invalidValue', `${name} must be an object`)
    return readObject(subAttributes!, value)
  }
  const isRight = type === 'boolean' ? typeof value === 'boolean' : typeof value === 'string'
  if (!isRight) throw badRequest('invalidValue', `${name} must be a ${type}`)
  return value
}

export function readValue(attribute: Attribute, value: unknown): unknown {
  const { name, multiValued } = attribute
  if (!multiValued) return readOne(attribute, value)
  if (!Array.isArray(value)) throw badRequest('invalidValue', `${name} must be an array`)
  const values = unique(
    attribute,
    value.map((one) => readOne(attribute, one)),
  )
  if (values.filter((one) => isObject(one) && one.primary === true).length > 1)
    throw badRequest('invalidValue', `${name} has more than one primary value`)
  return values
}

/** Read-only attributes are ignored (RFC 7644 §3.3); passwords are accepted and forgotten. */
export const isIgnored = ({ mutability, returned }: Attribute): boolean =>
  mutability === 'readOnly' || returned === 'never'

function readObject(attributes: Attribute[], object: Json): Json {
  const result: Json = {}
  for (const [name, value] of Object.entries(object)) {
    const attribute = attributeOf(attributes, name)
    // The RFC lets a provider ignore it. An error shows the mistake in a mapping.
    if (!attribute) throw badRequest('invalidSyntax', `${name} is not an attribute here`)
    if (!isIgnored(attribute) && !isUnassigned(value))
      result[attribute.name] = readValue(attribute, value)
  }
  return result
}

export function checkRequired({ attributes }: ResourceType, resource: Json): void {
  for (const { name, required } of attributes)
    if (required && (resource[name] === undefined || resource[name] === ''))
      throw badRequest('invalidValue', `${name} is required`)
}

/** The body of POST or PUT. */
export function readResource(type: ResourceType, body: unknown): Json {
  if (!isObject(body)) throw badRequest('invalidSyntax', 'The body must be an object')
  if (!Array.isArray(body.schemas) || !body.schemas.includes(type.schema))
    throw badRequest('invalidSyntax', `schemas must contain ${type.schema}`)
  const resource = readObject(type.attributes, body)
  checkRequired(type, resource)
  return resource
}
