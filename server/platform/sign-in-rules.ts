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

/** What bounds the attempts to sign in, of administrators or of users. */
export interface SignInRules {
  /** Of one account or name. */
  own: Limit
  /** Of an address, which may be that of a whole office. */
  address: Limit
  /** Before the addresses in the subjects: those of administrators are counted apart. */
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

/** The counter of the address; none for a device that one of the accounts has signed in with before. */
export async function addressCounters(
  rules: SignInRules,
  client: Client,
  accountIds: string[],
): Promise<Counter[]> {
  for (const id of accountIds) if (await rules.devices.knows(client, id)) return []
  return [{ subject: addressSubject(rules, client), limit: rules.address, shared: true }]
}

/** Mails asked for from one address; never given back, for nothing tells whether one was right. */
export const takeResetTurn = (db: Queryable, rules: SignInRules, client: Client): Promise<void> =>
  takeCounted(db, `reset ${addressSubject(rules, client)}`, rules.address)

/** A refusal comes after this time whatever was found, so that the time tells nothing about who exists. */
const REFUSAL_MS = 300

/** Attempts under one key, one after the other: those that are right never stand in each other's way. */
export async function inTurn<T>(
  { turns }: SignInRules,
  key: string,
  work: () => Promise<T>,
): Promise<T> {
  let evenly: Promise<void> | undefined
  try {
    return await turns.run(key, () => {
      evenly = delay(REFUSAL_MS)
      return work()
    })
  } catch (error) {
    // Outside of the turn: the next in line does not wait for it.
    await evenly
    throw error
  }
}

/**
 * How an attempt was judged. `done`: nothing more is asked for, so earlier failures are forgiven. `neither`: refused, but
 * no guess, such as a code that was right and has been used.
 */
export type Verdict<T> =
  | { right: T; done: boolean }
  | { wrong: (blocked: boolean) => Promise<T> }
  | { neither: () => Promise<T> }

/**
 * Lets an attempt through, has it judged, and counts it only if it was wrong. The work may reserve further counters and
 * add them to the list: they are settled alike.
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
