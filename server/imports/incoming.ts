import { Compile } from 'typebox/compile'
import { invalid } from '../platform/errors.ts'
import { compileMapping, type Mapping } from '../platform/mapping/index.ts'
import { UserPut, type UserState, type UserWrite } from '../users/index.ts'

/** The members of a user that an import may write. Passwords and rights stay with the administrators. */
const IMPORTED_FIELDS = [
  'username',
  'email',
  'firstname',
  'middlename',
  'lastname',
  'displayname',
  'alternateEmail',
  'company',
  'costCenter',
  'department',
  'description',
  'employeeIdentifier',
  'employeeType',
  'jobTitle',
  'location',
  'addresses',
  'phoneNumbers',
  'attributes',
] as const
type ImportedField = (typeof IMPORTED_FIELDS)[number]
/** Of the import itself: who it is, the state, the manager as a reference, the groups to join by name. */
const OWN_TARGETS = ['externalId', 'state', 'manager', 'groups']

export type ImportWrite = Pick<UserWrite, ImportedField>

/** A record of the source, as a user. */
export interface Incoming {
  externalId: string
  write: ImportWrite
  state: UserState | null
  manager: string | null
  groups: string[]
}

/** A record that cannot be imported, and why. */
export interface Unreadable {
  externalId: string | null
  write: ImportWrite
  reason: string
  message: string
}

const STATES = ['STAGED', 'ACTIVATED', 'SUSPENDED']
const MAX_GROUPS = 100
const MAX_EXTERNAL_ID = 1024

const headOf = (target: string): string => /^[A-Za-z_]+/.exec(target)?.[0] ?? target

/** The fields that the mapping writes, for their protection. */
export const mappedFields = (mapping: Mapping): string[] => [
  ...new Set(
    mapping
      .map(({ target }) => headOf(target))
      .filter((field) => IMPORTED_FIELDS.includes(field as ImportedField)),
  ),
]

export const mapsGroups = (mapping: Mapping): boolean =>
  mapping.some(({ target }) => headOf(target) === 'groups')

export function checkTargets(mapping: Mapping): void {
  const known = [...IMPORTED_FIELDS, ...OWN_TARGETS]
  for (const [at, { target }] of mapping.entries())
    if (!known.includes(headOf(target)))
      throw invalid(
        'bad_mapping',
        `mapping[${at}].target: "${target}" cannot be imported; use one of ${known.join(', ')}`,
      )
  if (!mapping.some(({ target }) => target === 'email' || target === 'username'))
    throw invalid('mapping_incomplete', 'mapping must have a rule for email or username')
}

const textOf = (value: unknown): string | null =>
  value === undefined || value === null ? null : String(value).trim() || null

/** Numbers and flags of the source become texts: all these members are texts. Spaces around them mean nothing. */
function asTexts(value: unknown): unknown {
  if (typeof value === 'string') return value.trim()
  if (Array.isArray(value)) return value.map(asTexts)
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, asTexts(member)]),
    )
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
}

function stateOf(value: unknown): UserState | null {
  const text = textOf(value)?.toUpperCase() ?? null
  if (text === null || STATES.includes(text)) return text as UserState | null
  throw invalid('bad_state', `state: must be one of ${STATES.join(', ')}, not "${text}"`)
}

function groupsOf(value: unknown): string[] {
  const names = (Array.isArray(value) ? value : [value]).map(textOf).filter((name) => name !== null)
  if (names.length > MAX_GROUPS)
    throw invalid('too_many_groups', `groups: at most ${MAX_GROUPS} at once`)
  return [...new Set(names)]
}

/** Compiled: it checks every record. */
const userPut = Compile(UserPut)

function checkWrite(write: ImportWrite): void {
  if (userPut.Check(write)) return
  const [first] = userPut.Errors(write)
  const field = (first?.instancePath ?? '').slice(1).replaceAll('/', '.')
  throw invalid('bad_value', `${field}: ${first?.message ?? 'is not valid'}`)
}

/** Compiles the mapping of a source into a function from its records to users. */
export function reader(mapping: Mapping) {
  const compiled = compileMapping(mapping)
  return (record: Record<string, unknown>): Incoming | Unreadable => {
    const { result, problems, tooCostly } = compiled.evaluate(record, { groups: [] })
    const { externalId: sent, state, manager, groups, ...fields } = result
    const write = asTexts(fields) as ImportWrite
    // Without an id of its own, a person is known by the e-mail address.
    const externalId = textOf(sent) ?? write.email?.toLowerCase() ?? write.username ?? null
    const refuse = (reason: string, message: string): Unreadable => ({
      externalId: externalId?.slice(0, MAX_EXTERNAL_ID) ?? null,
      write,
      reason,
      message,
    })
    const problem = tooCostly ? problems.at(-1) : problems[0]
    if (problem && tooCostly)
      return refuse('mapping_too_costly', `${problem.target}: ${problem.problem}`)
    if (problem) return refuse('mapping_problem', `${problem.target}: ${problem.problem}`)
    if (externalId === null) return refuse('no_identity', 'has no externalId, email or username')
    if (externalId.length > MAX_EXTERNAL_ID)
      return refuse('bad_value', `externalId: is longer than ${MAX_EXTERNAL_ID} characters`)
    try {
      checkWrite(write)
      return {
        externalId,
        write,
        state: stateOf(state),
        manager: textOf(manager),
        groups: groupsOf(groups ?? []),
      }
    } catch (error) {
      const { reason, message } = error as { reason?: string; message: string }
      if (reason === undefined) throw error
      return refuse(reason, message)
    }
  }
}

export const isReadable = (read: Incoming | Unreadable): read is Incoming => !('reason' in read)
