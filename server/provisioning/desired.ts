import { isDeepStrictEqual } from 'node:util'
import type { AccountState } from './schema.ts'
import type { Settings } from './settings.ts'

/** Where a user should be at the provider. */
export type Wanted = 'present' | 'skipped' | 'gone'

/** A row of provisioning_users, as far as decisions need it. */
export interface Account {
  state: AccountState
  remote_id: string | null
  written: Record<string, unknown> | null
  delete_at: string | null
}

export type Step =
  | { action: 'create' }
  | { action: 'update' }
  | { action: 'deactivate' }
  | { action: 'delete' }
  | { action: 'none'; state: AccountState }

/** STAGED users stay bound and are skipped; whoever is not bound or not ACTIVATED is out. */
export function wantedOf(bound: boolean, user: { state: string } | undefined): Wanted {
  if (!bound || !user) return 'gone'
  if (user.state === 'ACTIVATED') return 'present'
  return user.state === 'STAGED' ? 'skipped' : 'gone'
}

/** Decides the one step that brings an account closer to what is wanted. */
export function decide(
  wanted: Wanted,
  account: Account,
  resource: Record<string, unknown> | null,
  deprovision: Settings['deprovision'],
  now: number,
): Step {
  const { remote_id, written, state, delete_at } = account
  if (wanted === 'present') {
    if (remote_id === null) return { action: 'create' }
    const same = state === 'provisioned' && isDeepStrictEqual(written, resource)
    return same ? { action: 'none', state: 'provisioned' } : { action: 'update' }
  }
  if (remote_id === null) {
    const ended = state === 'deleted' || state === 'deactivated' ? state : 'none'
    return { action: 'none', state: wanted === 'skipped' ? 'staged' : ended }
  }
  if (deprovision.action === 'delete') return { action: 'delete' }
  if (state !== 'deactivated') return { action: 'deactivate' }
  if (delete_at !== null && Date.parse(delete_at) <= now) return { action: 'delete' }
  return { action: 'none', state: 'deactivated' }
}

type Json = Record<string, unknown>
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Differs from whatever a mapping yields. */
const UNKNOWN = ''

/**
 * What the provider may hold while a write is under way: attributes that the write changes are unknown, so they are written
 * again if its response is lost, even when the old value is wanted by then.
 */
export function underWay(before: Json, after: Json): Json {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  const entries = [...names].map((name): [string, unknown] => {
    const [from, to] = [before[name], after[name]]
    if (isDeepStrictEqual(from, to)) return [name, from]
    return [name, isObject(from) && isObject(to) ? underWay(from, to) : UNKNOWN]
  })
  return Object.fromEntries(entries)
}

/** Attributes that differ, for plans and events. */
export const changedAttributes = (
  before: Record<string, unknown> | null,
  after: Record<string, unknown>,
): string[] =>
  [...new Set([...Object.keys(before ?? {}), ...Object.keys(after)])].filter(
    (name) => name !== 'schemas' && !isDeepStrictEqual(before?.[name], after[name]),
  )
