import { type Remote, SCHEMAS } from './types.ts'

export type Json = Record<string, unknown>

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const MAX_DEPTH = 32
const MAX_ID = 1000

// RFC 7643 §4 to §5, RFC 7644 §3.4.2 and §3.12.
const NAMES = new Map(
  `schemas id externalId meta resourceType created lastModified location version
  userName name formatted familyName givenName middleName honorificPrefix honorificSuffix displayName nickName profileUrl
  title userType preferredLanguage locale timezone active password emails phoneNumbers ims photos addresses groups
  entitlements roles x509Certificates value display type primary $ref streetAddress locality region postalCode country
  employeeNumber costCenter organization division department manager members
  totalResults itemsPerPage startIndex Resources status scimType detail
  documentationUri patch bulk filter changePassword sort etag authenticationSchemes supported maxResults
  ${Object.values(SCHEMAS).join(' ')}`
    .split(/\s+/)
    .map((name) => [name.toLowerCase(), name]),
)

/**
 * Attribute names are case-insensitive (RFC 7643 §2.1): those of the standard get its spelling, in place, so that the rest
 * of the code can read them as properties. Throws a RangeError if the value is nested too deeply.
 */
export function canonical(value: unknown, depth = 0): unknown {
  if (depth > MAX_DEPTH) throw new RangeError('nested too deeply')
  if (Array.isArray(value)) for (const one of value) canonical(one, depth + 1)
  else if (isObject(value))
    for (const [name, one] of Object.entries(value)) {
      canonical(one, depth + 1)
      const standard = NAMES.get(name.toLowerCase()) ?? name
      if (standard === name) continue
      delete value[name]
      value[standard] = one
    }
  return value
}

/** Some providers write booleans as strings: "False". */
export const readBoolean = (value: unknown): boolean | undefined => {
  if (typeof value === 'boolean') return value
  const text = typeof value === 'string' ? value.toLowerCase() : ''
  return text === 'true' ? true : text === 'false' ? false : undefined
}

/** Ids become part of a URL, whose parser would resolve dot segments. */
function readId(value: unknown): string | undefined {
  const id = Number.isSafeInteger(value) ? String(value) : value
  if (typeof id !== 'string' || id === '' || id.length > MAX_ID) return undefined
  return id === '.' || id === '..' || !id.isWellFormed() ? undefined : id
}

const readText = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined

const readTexts = (value: unknown): string[] | undefined =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : undefined

/** Attributes that the client itself reads. */
const READERS = {
  schemas: readTexts,
  externalId: readText,
  userName: readText,
  displayName: readText,
  active: readBoolean,
}

/** Expects the result of `canonical`. Undefined without a usable id. */
export function readResource(value: unknown): Remote | undefined {
  if (!isObject(value)) return undefined
  const id = readId(value.id)
  if (id === undefined) return undefined
  const resource: Json & { id: string } = { ...value, id }
  for (const [name, read] of Object.entries(READERS)) {
    const known = read(value[name])
    if (known === undefined) delete resource[name]
    else resource[name] = known
  }
  return resource
}
