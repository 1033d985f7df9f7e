import { badRequest } from './errors.ts'
import { equalities, type Filter, matches, parseFilter, resolvePath } from './filter.ts'
import {
  checkRequired,
  isIgnored,
  isObject,
  isUnassigned,
  type Json,
  keyOf,
  readOne,
  readValue,
} from './read.ts'
import { type Attribute, attributeOf, type ResourceType, URNS } from './schemas.ts'

// PATCH: RFC 7644 §3.5.2. Nothing is changed in place, so a request that fails halfway has no effect.

export interface Operation {
  op: string
  path?: string
  value?: unknown
}
interface Step {
  attribute: Attribute
  filter?: Filter
}

const PATH = /^([^[\]]+)(?:\[(.*)\](?:\.([^[\].]+))?)?$/s

/** `attribute`, `attribute.sub`, `attribute[filter]` or `attribute[filter].sub`. */
function readPath({ attributes }: ResourceType, text: string): Step[] {
  const wrong = () => badRequest('invalidPath', `The path ${text} names no attribute`)
  const [, name = '', filter, sub] = PATH.exec(text.trim()) ?? []
  const path = resolvePath(attributes, name)
  if (!path) throw wrong()
  const steps: Step[] = path.map((attribute) => ({ attribute }))
  const last = steps.at(-1)!
  const subAttributes = last.attribute.subAttributes ?? []
  if (filter !== undefined) {
    if (!last.attribute.multiValued) throw wrong()
    last.filter = parseFilter(filter, subAttributes)
  }
  if (sub !== undefined) {
    const attribute = attributeOf(subAttributes, sub)
    if (!attribute) throw wrong()
    steps.push({ attribute })
  }
  if (steps.some(({ attribute }) => attribute.mutability === 'readOnly'))
    throw badRequest('mutability', `${text} is read-only`)
  return steps
}

const isEmpty = (value: unknown): boolean =>
  isUnassigned(value) || (isObject(value) && Object.keys(value).length === 0)

/** The new value of a whole attribute. */
function edit(attribute: Attribute, current: unknown, { op, value }: Operation): unknown {
  const { name, multiValued, required, type } = attribute
  const old = Array.isArray(current) ? current : []
  if (op === 'remove') {
    if (required) throw badRequest('mutability', `${name} is required`)
    if (!multiValued || value === undefined) return undefined
    // Not in the RFC, but common: only the listed values go.
    const listed = new Set([value].flat().map((one) => keyOf(attribute, readOne(attribute, one))))
    return old.filter((one) => !listed.has(keyOf(attribute, one)))
  }
  if (isUnassigned(value)) return op === 'replace' ? undefined : current
  if (multiValued && op === 'add') {
    const present = new Set(old.map((one) => keyOf(attribute, one)))
    const added = readValue(attribute, [value].flat()) as unknown[]
    return [...old, ...added.filter((one) => !present.has(keyOf(attribute, one)))]
  }
  const wanted = readValue(attribute, value)
  return type === 'complex' && !multiValued ? { ...(current as Json), ...(wanted as Json) } : wanted
}

function changeSelected(
  { attribute, filter }: Step,
  values: Json[],
  rest: Step[],
  operation: Operation,
): unknown[] {
  const { op, value } = operation
  const changed = (old: Json): unknown => {
    if (rest.length > 0) return change(old, rest, operation)
    if (op === 'remove') return undefined
    const wanted = readOne(attribute, value) as Json
    return op === 'add' ? { ...old, ...wanted } : wanted
  }
  const selected = new Set(values.filter((one) => !filter || matches(filter, one)))
  if (selected.size > 0)
    return values
      .map((one) => (selected.has(one) ? changed(one) : one))
      .filter((one) => !isEmpty(one))
  if (op === 'remove') return values
  if (op === 'replace' || !filter)
    throw badRequest('noTarget', `No value of ${attribute.name} matches the path`)
  // `add emails[type eq "work"].value` to somebody without a work address creates one.
  const fresh = equalities(filter).map(({ path, value }) => [path[0]!.name, value])
  return [...values, changed(Object.fromEntries(fresh))]
}

/** A value that becomes primary takes this from the others (RFC 7644 §3.5.2). */
function demote(before: unknown, after: unknown): unknown {
  if (!Array.isArray(before) || !Array.isArray(after)) return after
  const isPrimary = (one: unknown) => isObject(one) && one.primary === true
  if (after.filter(isPrimary).length < 2) return after
  return after.map((one) =>
    isPrimary(one) && before.includes(one) ? { ...one, primary: false } : one,
  )
}

function change(object: Json, [step, ...rest]: Step[], operation: Operation): Json {
  const { attribute, filter } = step!
  const current = object[attribute.name]
  const selects = filter !== undefined || (attribute.multiValued && rest.length > 0)
  const next = selects
    ? changeSelected(step!, (current ?? []) as Json[], rest, operation)
    : rest.length > 0
      ? change((current ?? {}) as Json, rest, operation)
      : edit(attribute, current, operation)
  const { [attribute.name]: _, ...others } = object
  return isEmpty(next) ? others : { ...others, [attribute.name]: demote(current, next) }
}

function apply(type: ResourceType, resource: Json, operation: Operation): Json {
  const { op, path, value } = operation
  if (!['add', 'replace', 'remove'].includes(op))
    throw badRequest('invalidSyntax', `${op} is not add, replace or remove`)
  if (op !== 'remove' && value === undefined)
    throw badRequest('invalidValue', `${op} needs a value`)
  if (path !== undefined) {
    const steps = readPath(type, path)
    return steps.some(({ attribute }) => isIgnored(attribute))
      ? resource
      : change(resource, steps, operation)
  }
  if (op === 'remove') throw badRequest('noTarget', 'remove needs a path')
  if (!isObject(value)) throw badRequest('invalidValue', 'Without a path, value must be an object')
  return Object.entries(value).reduce((result, [name, one]) => {
    const attribute = attributeOf(type.attributes, name)
    if (!attribute) throw badRequest('invalidPath', `${name} is not an attribute here`)
    return isIgnored(attribute) ? result : change(result, [{ attribute }], { op, value: one })
  }, resource)
}

/** The operations of a request body. */
export function readOperations(body: unknown): Operation[] {
  const wrong = (detail: string) => badRequest('invalidSyntax', detail)
  if (!isObject(body)) throw wrong('The body must be an object')
  if (!Array.isArray(body.schemas) || !body.schemas.includes(URNS.patch))
    throw wrong(`schemas must contain ${URNS.patch}`)
  const { Operations: operations } = body
  if (!Array.isArray(operations) || operations.length === 0)
    throw wrong('Operations must be an array with at least one operation')
  return operations.map((one) => {
    if (!isObject(one) || typeof one.op !== 'string') throw wrong('An operation needs an op')
    if (one.path !== undefined && typeof one.path !== 'string')
      throw badRequest('invalidPath', 'path must be a string')
    return one as unknown as Operation
  })
}

export function applyPatch(type: ResourceType, resource: Json, operations: Operation[]): Json {
  const result = operations.reduce((current, one) => apply(type, current, one), resource)
  checkRequired(type, result)
  return result
}
