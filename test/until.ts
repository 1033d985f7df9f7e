import { setTimeout as delay } from 'node:timers/promises'

/** Ends a wait that would hang. Long: on a busy machine everything takes its time, and a wait ends with its condition. */
const DEADLINE_MS = 300_000

type Outcome<T> = T | false | null | undefined

const MAX_PAUSE_MS = 1000

/** Polls until `check` returns a value. Most of the time is left to what it waits for. */
export async function until<T>(
  what: string,
  check: () => Promise<Outcome<T>> | Outcome<T>,
): Promise<T> {
  for (const deadline = Date.now() + DEADLINE_MS; ; ) {
    const began = Date.now()
    const found = await check()
    if (found !== false && found !== null && found !== undefined) return found
    if (Date.now() > deadline) throw new Error(`Waited ${DEADLINE_MS / 1000} s in vain: ${what}`)
    await delay(Math.min(MAX_PAUSE_MS, Math.max(10, 4 * (Date.now() - began))))
  }
}
