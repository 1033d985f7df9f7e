import { isDeepStrictEqual } from 'node:util'
import { isObject, type Json } from './resource.ts'
import type { PatchOperation, Remote, ScimResource } from './types.ts'

/** `before` is what was last written: attributes of the provider that are in neither are left alone. */
export interface Change {
  before?: ScimResource
  after: ScimResource
}

/** Not attributes of their own, or, for members, changed in another way. */
const SKIPPED = ['schemas', 'id', 'meta', 'members']

/** RFC 7643 §2.5: null and an empty array are the same as no value. */
const isAbsent = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0)
const orEmpty = (value: unknown): Json => (isObject(value) ? value : {})

const attributesOf = (resource: Json = {}): Json =>
  Object.fromEntries(Object.entries(resource).filter(([name]) => !SKIPPED.includes(name)))

/** Names in either, whose values differ. */
function changedNames(before: Json, after: Json): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].filter((name) => {
    const [from, to] = [before[name], after[name]]
    return !(isAbsent(from) && isAbsent(to)) && !isDeepStrictEqual(from, to)
  })
}

const isExtension = (name: string): boolean => name.startsWith('urn:')

function operations(before: Json, after: Json, prefix: string): PatchOperation[] {
  return changedNames(before, after).flatMap((name): PatchOperation[] => {
    const [from, to] = [before[name], after[name]]
    const path = `${prefix}${name}`
    if (isAbsent(to)) return [{ op: 'remove', path }]
    // RFC 7644 §3.5.2.3: replacing a complex attribute leaves those of its parts that the value lacks.
    if (isObject(to) && (isObject(from) || isExtension(name)))
      return operations(orEmpty(from), to, `${path}${isExtension(name) ? ':' : '.'}`)
    return [{ op: 'replace', path, value: to }]
  })
}

/** One operation for each attribute: RFC 7644 §3.5.2. */
export const operationsByPath = ({ before, after }: Change): PatchOperation[] =>
  operations(attributesOf(before), attributesOf(after), '')

/** One operation without a path: its value is an object with the changed attributes. It cannot remove any. */
export function operationByValue({ before, after }: Change): PatchOperation {
  const [from, to] = [attributesOf(before), attributesOf(after)]
  const changed = changedNames(from, to).map((name) => [name, to[name]])
  return { op: 'replace', value: Object.fromEntries(changed) }
}

/** Names of extensions keep the provider's case, so ours may differ from it. */
const ownName = (resource: Json, name: string): string =>
  name in resource
    ? name
    : (Object.keys(resource).find((own) => own.toLowerCase() === name.toLowerCase()) ?? name)

function overlay(remote: Json, before: Json, after: Json): Json {
  const result = { ...remote }
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [own, to] = [ownName(remote, name), after[name]]
    if (isAbsent(to)) delete result[own]
    else result[own] = isObject(to) ? overlay(orEmpty(remote[own]), orEmpty(before[name]), to) : to
  }
  return result
}

/** The whole resource for PUT: as the provider holds it, with our attributes. Read-only ones are left out. */
export function wholeResource(remote: Remote, { before, after }: Change): ScimResource {
  const { meta, groups, ...rest } = overlay(remote, attributesOf(before), attributesOf(after))
  const schemas = new Set([...(remote.schemas ?? []), ...(after.schemas ?? [])])
  return { ...rest, schemas: [...schemas] }
}
