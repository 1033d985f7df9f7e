import { badRequest, ScimError } from './errors.ts'
import { equalities, type Filter, fold, matches } from './filter.ts'
import type { Json } from './read.ts'
import { attributeOf, type Endpoint, TYPES, URNS } from './schemas.ts'

export interface Resource extends Json {
  id: string
  meta: { resourceType: string; created: string; lastModified: string; version: string }
}

interface JournalEntry {
  at: string
  method: string
  path: string
  /** 0: no status was sent. */
  status: number
  note?: string
}

const MAX_RESOURCES = 200_000
const MAX_JOURNAL = 10_000
const MAX_PATH = 500

const INDEXED: Record<Endpoint, string[]> = {
  Users: ['userName', 'externalId'],
  Groups: ['displayName', 'externalId', 'members'],
}

const memberIds = ({ members = [] }: Json): string[] =>
  (members as { value: string }[]).map(({ value }) => value)

/** The keys of a resource in one index. */
function keysOf(endpoint: Endpoint, name: string, resource: Json): unknown[] {
  if (name === 'members') return memberIds(resource)
  const attribute = attributeOf(TYPES[endpoint].attributes, name)!
  return resource[name] === undefined ? [] : [fold(attribute, resource[name])]
}

/** The resources of the provider, in memory. The cost of a request for a user does not depend on the number of users. */
export class Store {
  readonly #resources: Record<Endpoint, Map<string, Resource>> = {
    Users: new Map(),
    Groups: new Map(),
  }
  /** Ids by value, for each indexed attribute. */
  readonly #indexes = new Map<string, Map<unknown, Set<string>>>()
  readonly #journal: JournalEntry[] = []
  readonly #now: () => number
  #writes = 0

  constructor(now: () => number) {
    this.#now = now
  }

  get users(): ReadonlyMap<string, Resource> {
    return this.#resources.Users
  }
  get groups(): ReadonlyMap<string, Resource> {
    return this.#resources.Groups
  }
  /** The last requests, oldest first. */
  get journal(): readonly JournalEntry[] {
    return this.#journal
  }
  get writes(): number {
    return this.#writes
  }

  get(endpoint: Endpoint, id: string): Resource {
    const found = this.#resources[endpoint].get(id)
    if (!found) throw new ScimError(404, `${endpoint} has no ${id}`)
    return found
  }

  list(endpoint: Endpoint, filter?: Filter): Resource[] {
    if (!filter) return [...this.#resources[endpoint].values()]
    const indexed = equalities(filter).find(
      ({ path: [first, ...rest] }) => rest.length === 0 && INDEXED[endpoint].includes(first!.name),
    )
    const candidates = indexed
      ? this.#find(endpoint, indexed.path[0]!.name, fold(indexed.path[0]!, indexed.value))
      : [...this.#resources[endpoint].values()]
    return candidates.filter((resource) => matches(filter, this.withGroups(endpoint, resource)))
  }

  /** The groups of a user are derived from the members of the groups. */
  withGroups(endpoint: Endpoint, resource: Resource): Resource {
    const groups = endpoint === 'Users' ? this.groupsOf(resource.id) : []
    if (groups.length === 0) return resource
    const entry = ({ id, displayName }: Resource) => ({
      value: id,
      display: displayName,
      type: 'direct',
    })
    return { ...resource, groups: groups.map(entry) }
  }

  /** The groups that have this member. */
  groupsOf(id: string): Resource[] {
    return this.#find('Groups', 'members', id)
  }

  /** No other resource may have the same value of an attribute listed in `unique`. */
  insert(endpoint: Endpoint, id: string, attributes: Json, unique: string[]): Resource {
    if (this.users.size + this.groups.size >= MAX_RESOURCES)
      throw new ScimError(507, `The lab holds at most ${MAX_RESOURCES} resources`)
    return this.#put(endpoint, id, attributes, unique)
  }

  /** Replaces all attributes. */
  save(endpoint: Endpoint, id: string, attributes: Json, unique: string[]): Resource {
    return this.#put(endpoint, id, attributes, unique, this.get(endpoint, id))
  }

  remove(endpoint: Endpoint, id: string): void {
    const resource = this.get(endpoint, id)
    for (const group of this.groupsOf(id)) {
      const { members, ...rest } = group
      const left = (members as Json[]).filter(({ value }) => value !== id)
      this.save('Groups', group.id, left.length > 0 ? { ...rest, members: left } : rest, [])
    }
    this.#reindex(endpoint, id, resource)
    this.#resources[endpoint].delete(id)
    this.#writes++
  }

  /** Behind the client's back. Merges the changes without the checks of a request. */
  editByHand(endpoint: Endpoint, id: string, changes: Json): Resource {
    const edited = this.save(endpoint, id, { ...this.get(endpoint, id), ...changes }, [])
    this.#recordByHand(endpoint, id, `changed ${Object.keys(changes).join(', ')}`)
    return edited
  }

  /** Behind the client's back. */
  removeByHand(endpoint: Endpoint, id: string): void {
    this.remove(endpoint, id)
    this.#recordByHand(endpoint, id, 'deleted')
  }

  record(entry: Omit<JournalEntry, 'at'>): void {
    const path = entry.path.slice(0, MAX_PATH)
    this.#journal.push({ at: new Date(this.#now()).toISOString(), ...entry, path })
    if (this.#journal.length > MAX_JOURNAL) this.#journal.shift()
  }

  reset(): void {
    for (const map of Object.values(this.#resources)) map.clear()
    this.#indexes.clear()
    this.#journal.length = 0
    this.#writes = 0
  }

  #put(endpoint: Endpoint, id: string, attributes: Json, unique: string[], old?: Resource) {
    for (const name of unique)
      for (const key of keysOf(endpoint, name, attributes))
        if (this.#find(endpoint, name, key).some((found) => found.id !== id))
          throw new ScimError(409, `${name} ${attributes[name]} is taken`, 'uniqueness')
    for (const member of memberIds(attributes))
      if (!this.users.has(member) && !this.groups.has(member))
        throw badRequest('invalidValue', `There is no member ${member}`)

    const { schema, name } = TYPES[endpoint]
    const now = new Date(this.#now()).toISOString()
    const version = old ? Number(/\d+/.exec(old.meta.version)) + 1 : 1
    const resource: Resource = {
      ...attributes,
      id,
      schemas: attributes[URNS.enterprise] === undefined ? [schema] : [schema, URNS.enterprise],
      meta: {
        resourceType: name,
        created: old?.meta.created ?? now,
        lastModified: now,
        version: `W/"${version}"`,
      },
    }
    this.#reindex(endpoint, id, old, resource)
    this.#resources[endpoint].set(id, resource)
    this.#writes++
    return resource
  }

  #index(endpoint: Endpoint, name: string): Map<unknown, Set<string>> {
    const key = `${endpoint}.${name}`
    const index = this.#indexes.get(key) ?? new Map()
    this.#indexes.set(key, index)
    return index
  }

  /** Touches only the keys that differ: a large group often gains a few members. */
  #reindex(endpoint: Endpoint, id: string, old?: Resource, next?: Resource): void {
    for (const name of INDEXED[endpoint]) {
      const index = this.#index(endpoint, name)
      const before = new Set(old && keysOf(endpoint, name, old))
      const after = new Set(next && keysOf(endpoint, name, next))
      for (const key of before) {
        if (after.has(key)) continue
        const ids = index.get(key)
        ids?.delete(id)
        if (ids?.size === 0) index.delete(key)
      }
      for (const key of after) {
        if (before.has(key)) continue
        const ids = index.get(key)
        if (ids) ids.add(id)
        else index.set(key, new Set([id]))
      }
    }
  }

  #find(endpoint: Endpoint, name: string, key: unknown): Resource[] {
    const ids = this.#index(endpoint, name).get(key) ?? []
    return [...ids].map((id) => this.get(endpoint, id))
  }

  #recordByHand(endpoint: Endpoint, id: string, note: string): void {
    const path = `/${endpoint}/${encodeURIComponent(id)}`
    this.record({ method: 'BY HAND', path, status: 0, note })
  }
}
