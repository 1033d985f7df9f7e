import { setTimeout as delay } from 'node:timers/promises'
import { addressKey } from './address-key.ts'
import type { Client } from './caller.ts'
import type { Config } from './config.ts'
import type { Queryable } from './db/index.ts'
import {
  type Counter,
  countWrong,
  forgive,
  type Limit,
  release,
  reserveAll,
  takeCounted,
} from './failures.ts'
import { KeyedMutex } from './keyed-mutex.ts'
import { KnownDevices } from './known-devices.ts'
import type { Sealer } from './secrets.ts'

/** Limits on sign-in attempts, of administrators or of users. */
export interface SignInRules {
  /** Per account or name. */
  own: Limit
  /** Per address, which a whole office may share. */
  address: Limit
  /** Subject prefix of addresses: administrators are counted apart from users. */
  prefix: string
  turns: KeyedMutex
  devices: KnownDevices
}

export function signInRules(config: Config, sealer: Sealer, who: 'admin' | 'user'): SignInRules {
  const limit = (failures: number): Limit => ({
    failures,
    windowMinutes: config.signInWindowMinutes,
    blockMinutes: config.signInBlockMinutes,
  })
  return {
    own: limit(config[`${who}SignInFailures`]),
    address: limit(config[`${who}AddressFailures`]),
    prefix: who === 'admin' ? 'address' : 'user-address',
    turns: new KeyedMutex(),
    devices: new KnownDevices(sealer, config.publicUrl),
  }
}

const addressSubject = ({ prefix }: SignInRules, { ip }: Client) => `${prefix} ${addressKey(ip)}`

/** The counter of the address; none for a known device of one of the accounts. */
export async function addressCounters(
  rules: SignInRules,
  client: Client,
  accountIds: string[],
): Promise<Counter[]> {
  for (const id of accountIds) if (await rules.devices.knows(client, id)) return []
  return [{ subject: addressSubject(rules, client), limit: rules.address, shared: true }]
}

/** Counts reset mails per address. Never refunded: a reset request cannot prove to be right. */
export const takeResetTurn = (db: Queryable, rules: SignInRules, client: Client): Promise<void> =>
  takeCounted(db, `reset ${addressSubject(rules, client)}`, rules.address)

/** Refusals take at least this long, so that timing does not reveal whether an account exists. */
let refusalMs = 300
/** For tests, which are refused hundreds of times. */
export const setRefusalTime = (ms: number): void => {
  refusalMs = ms
}

/** Serializes attempts per key, so that parallel correct ones do not use up the limit. */
export async function inTurn<T>(
  { turns }: SignInRules,
  key: string,
  work: () => Promise<T>,
): Promise<T> {
  let evenly: Promise<void> | undefined
  try {
    return await turns.run(key, () => {
      evenly = delay(refusalMs)
      return work()
    })
  } catch (error) {
    // Outside the mutex: the next attempt need not wait for this.
    await evenly
    throw error
  }
}

/**
 * How an attempt was judged. `done`: sign-in is complete, so earlier failures are forgiven. `neither`: refused, but not
 * a guess, such as a correct code that was already used.
 */
export type Verdict<T> =
  | { right: T; done: boolean }
  | { wrong: (blocked: boolean) => Promise<T> }
  | { neither: () => Promise<T> }

/**
 * Reserves an attempt, runs it, and counts it only if it was wrong. The work may reserve further counters and push them
 * to the list: they are settled in the same way.
 */
export async function judge<T>(
  db: Queryable,
  counters: Counter[],
  work: () => Promise<Verdict<T>>,
): Promise<T> {
  await reserveAll(db, counters)
  let verdict: Verdict<T>
  try {
    verdict = await work()
  } catch (error) {
    await release(db, counters)
    throw error
  }
  if ('wrong' in verdict) return verdict.wrong(await countWrong(db, counters))
  if ('right' in verdict && verdict.done) await forgive(db, counters)
  else await release(db, counters)
  return 'right' in verdict ? verdict.right : verdict.neither()
}
