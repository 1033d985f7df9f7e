import { badRequest, ScimError } from './errors.ts'
import type { FaultSettings } from './faults.ts'
import { equalities, type Filter, terms } from './filter.ts'
import type { Operation } from './patch.ts'
import { isObject, type Json } from './read.ts'
import type { Endpoint } from './schemas.ts'
import type { Resource, Store } from './store.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH'

interface Target {
  endpoint: Endpoint
  method: Method
}

/** The deviations of one provider from the standard. */
export interface Profile {
  /** One sentence: the behaviour, and where it is reported. */
  about: string
  faults?: FaultSettings
  /** No token lasts: the client fetches one at /oauth/token. */
  oauth?: true
  /** Every request gets the login page. */
  loginPage?: true
  noDiscovery?: true
  noPatch?: true
  ignoresFilters?: true
  uniqueGroupNames?: true
  losesCreateReplies?: true
  contentType?: string
  maxPage?: number
  statuses?: {
    created?: number
    patchedGroup?: number
    duplicate?: number
    deleteAbsent?: number
    unknownPath?: number
  }
  newId?: (count: number) => string
  checkFilter?: (filter: Filter) => void
  /** Changes the body of POST and PUT before it is read. */
  body?: (body: Json, target: Target) => Json
  /** Refuses or changes the operations of a PATCH. */
  operations?: (operations: Operation[], endpoint: Endpoint) => Operation[]
  /** Runs after each write. */
  written?: (store: Store, resource: Resource, target: Target) => void
  /** Changes a resource before it is sent. */
  shown?: (resource: Json, target: Target) => Json
  /** Changes a page of a list before it is sent. */
  page?: (page: Json & { Resources: Json[] }) => Json
}

const without = (object: Json, ...names: string[]): Json =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)))

const lowerOp = (operation: Operation): Operation => ({
  ...operation,
  op: operation.op.toLowerCase(),
})

const namesMembers = ({ path, value }: Operation): boolean =>
  path === undefined ? isObject(value) && 'members' in value : /^members\b/i.test(path)

const AWS_FILTERS = ['userName', 'displayName']
const MAX_AWS_MEMBERS = 100

const awsRefusal = (detail: string) => new ScimError(400, detail)

/** The documentation of PatchGroup and PatchUser; the wording of the first two is from bug reports. */
function checkAwsOperations(operations: Operation[], endpoint: Endpoint): Operation[] {
  for (const { op, path, value } of operations)
    if (path === undefined && Object.keys(Object(value)).length !== 1)
      throw awsRefusal(
        'Current PATCH support allows omitting "path" attribute only for Add and Replace operations modifying a single attribute.',
      )
    else if (op === 'remove' && /^(userName|active)$/i.test(path ?? ''))
      throw awsRefusal(`${path} cannot be removed`)
  const onMembers = endpoint === 'Groups' ? operations.filter(namesMembers) : []
  for (const { op, path, value } of onMembers)
    if (op === 'replace') throw awsRefusal('Replacing group memberships is not supported.')
    else if (path !== undefined && (path.toLowerCase() !== 'members' || value === undefined))
      throw awsRefusal('Members are listed in the value')
  const changes = onMembers.flatMap(({ path, value }) =>
    path === undefined ? (value as { members: unknown }).members : value,
  )
  if (changes.length > MAX_AWS_MEMBERS)
    throw awsRefusal(`More than ${MAX_AWS_MEMBERS} membership changes in one request`)
  return operations
}

/** "True" and "False" for booleans, as Entra ID sends them. */
function readActive(value: unknown): unknown {
  if (typeof value === 'string' && /^(true|false)$/i.test(value))
    return value.toLowerCase() === 'true'
  return isObject(value) && 'active' in value
    ? { ...value, active: readActive(value.active) }
    : value
}

const MEDDLES_EVERY = 10

/** After every tenth write one user is deleted and another one changed. */
function meddle(store: Store): void {
  if (store.writes % MEDDLES_EVERY !== 0) return
  const pick = (): string | undefined =>
    [...store.users.keys()][(store.writes * 7919) % Math.max(1, store.users.size)]
  const gone = pick()
  if (gone !== undefined) store.removeByHand('Users', gone)
  const changed = pick()
  if (changed !== undefined) store.editByHand('Users', changed, { title: 'Edited by hand' })
}

export const PROFILES = {
  standard: { about: 'Follows RFC 7643 and RFC 7644, and refuses whatever does not.' },
  aws: {
    about:
      'Lists have 50 entries at most, externalId is no filter, PATCH takes few forms, members are never shown, and bursts of 429 come (awslabs/ssosync#2, #13, #65; goauthentik/authentik#6335, #12321).',
    faults: { failRate: 0.01, status: 429, retryAfter: 1, burst: 5 },
    uniqueGroupNames: true,
    maxPage: 50,
    statuses: { patchedGroup: 204 },
    checkFilter(filter) {
      const equal = equalities(filter).filter(({ path }) => AWS_FILTERS.includes(path[0]!.name))
      if (equal.length < terms(filter).length)
        throw badRequest('invalidFilter', 'Filters are eq and and, on userName or displayName')
    },
    body(body, { endpoint, method }) {
      if (endpoint === 'Groups' && method === 'PUT') throw new ScimError(405, 'Use PATCH')
      for (const name of ['emails', 'addresses', 'phoneNumbers'])
        if (Array.isArray(body[name]) && body[name].length > 1)
          throw awsRefusal(`${name} takes one value only`)
      return body
    },
    operations: checkAwsOperations,
    shown: (resource, { endpoint }) =>
      endpoint === 'Groups' ? { ...resource, members: [] } : resource,
  },
  'no-members-echo': {
    about:
      'Replies about groups leave the members out (goauthentik/authentik#20410, #23005, #25003).',
    shown: (resource) => without(resource, 'members'),
  },
  strings: {
    about:
      'Sends "active": "False" as a string, and takes strings and capitalised operations (AzureAD/SCIMReferenceCode#20).',
    body: (body) => readActive(body) as Json,
    operations: (operations) =>
      operations.map((one) => ({
        ...lowerOp(one),
        ...(one.value !== undefined &&
          (one.path === undefined || /^active$/i.test(one.path)) && {
            value: readActive(one.value),
          }),
      })),
    shown: (resource) =>
      typeof resource.active === 'boolean'
        ? { ...resource, active: resource.active ? 'True' : 'False' }
        : resource,
  },
  'capital-ops': {
    about:
      'Takes Add, Replace and Remove in PATCH, not add, replace and remove (AzureAD/SCIMReferenceCode#20).',
    operations(operations) {
      for (const { op } of operations)
        if (!/^[A-Z]/.test(op)) throw badRequest('invalidSyntax', `${op} is not an operation`)
      return operations.map(lowerOp)
    },
  },
  'okta-shape-only': {
    about: 'PATCH takes only replace without a path (bitwarden/server#2919).',
    operations(operations) {
      for (const { op, path } of operations)
        if (op !== 'replace' || path !== undefined)
          throw badRequest('invalidSyntax', 'Only replace without a path is supported')
      return operations
    },
  },
  bare: {
    about:
      'Has no ServiceProviderConfig, answers 500 on unknown paths and 422 for a duplicate (Infisical/infisical#6552).',
    noDiscovery: true,
    uniqueGroupNames: true,
    statuses: { duplicate: 422, unknownPath: 500 },
  },
  'no-patch': {
    about: 'ServiceProviderConfig says that PATCH is not supported, and PATCH answers 501.',
    noPatch: true,
  },
  'put-members': {
    about: 'Ignores members everywhere but in PUT (ory/polis#3136).',
    body: (body, { method }) => (method === 'POST' ? without(body, 'members') : body),
    operations: (operations) =>
      operations.flatMap((one) =>
        !namesMembers(one)
          ? one
          : one.path === undefined
            ? { ...one, value: without(one.value as Json, 'members') }
            : [],
      ),
  },
  'merge-on-replace': {
    about: 'Replacing the members adds to them, and DELETE of an absent resource is a 500 (seen).',
    statuses: { deleteAbsent: 500 },
    operations: (operations) =>
      operations.map((one) =>
        one.op === 'replace' && namesMembers(one) ? { ...one, op: 'add' } : one,
      ),
  },
  'remove-on-inactive': {
    about: 'A user who becomes inactive is removed (documentation of GitHub).',
    written(store, { id, active }, { endpoint, method }) {
      if (endpoint === 'Users' && method !== 'POST' && active === false) store.remove('Users', id)
    },
  },
  'deletes-behind-your-back': {
    about:
      'Every tenth write, somebody deletes a user by hand and edits another (goauthentik/authentik#5396, #10937; slashdevops/idp-scim-sync#70, #75).',
    written: meddle,
  },
  'created-then-failed': {
    about: 'POST takes effect, but its reply is lost (awslabs/ssosync#13).',
    losesCreateReplies: true,
  },
  'no-totals': {
    about: 'Lists leave totalResults, startIndex and itemsPerPage out.',
    page: (page) => without(page, 'totalResults', 'startIndex', 'itemsPerPage'),
  },
  repeats: {
    about: 'Lists contain every resource twice (Infisical/infisical#6554).',
    page: (page) => ({ ...page, Resources: page.Resources.flatMap((one) => [one, one]) }),
  },
  'ignores-filters': {
    about: 'Answers a filtered query with everything.',
    ignoresFilters: true,
  },
  'odd-ids': {
    about: 'Ids contain slashes, spaces, quotes, percent signs and letters beyond ASCII.',
    newId: (count) => `a/b c%2F "${count}" ?#&+é漢`,
  },
  'no-id': {
    about: 'POST answers 200 without an id.',
    statuses: { created: 200 },
    shown: (resource, { method }) =>
      method === 'POST' ? without(resource, 'id', 'meta') : resource,
  },
  html: {
    about: 'Answers everything with a login page and status 200, as a proxy in front might.',
    loginPage: true,
  },
  'wrong-type': {
    about: 'Sends its JSON as text/plain.',
    contentType: 'text/plain; charset=utf-8',
  },
  slow: {
    about: 'Takes three seconds for every reply.',
    faults: { delayMs: 3000 },
  },
  oauth: {
    about:
      'Takes only tokens from /oauth/token (client credentials, client id "lab"), which expire after 30 seconds.',
    oauth: true,
  },
} satisfies Record<string, Profile>

export type ProfileName = keyof typeof PROFILES

export const isProfileName = (name: string): name is ProfileName => Object.hasOwn(PROFILES, name)
