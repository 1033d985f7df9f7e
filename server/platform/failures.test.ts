import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { clearFailures, countFailure, takeAttempt, uncountFailure } from './failures.ts'
import { newId } from './ids.ts'
import { sql } from './sql.ts'

const { db } = await startApp()
const LIMIT = { failures: 3, windowMinutes: 15, blockMinutes: 15 }
const refusedBy = { reason: 'sign_in_blocked' }
const take = (subject: string) => takeAttempt(db, subject, LIMIT)

test('attempts in parallel are no more than the limit has', async () => {
  const subject = `test ${newId()}`
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => take(subject)))
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 3)
  await assert.rejects(take(subject), refusedBy)
  await clearFailures(db, [subject])
  await take(subject)
})

test('an attempt that was right is given back, and ends the block it brought about', async () => {
  const subject = `test ${newId()}`
  for (let at = 0; at < 10; at++) {
    await take(subject)
    await uncountFailure(db, subject, LIMIT)
  }
  for (let at = 0; at < 3; at++) await take(subject)
  await uncountFailure(db, subject, LIMIT)
  await take(subject)
  await assert.rejects(take(subject), refusedBy)
})

test('a block stands to its end, though the window in which it came about is over', async () => {
  const subject = `test ${newId()}`
  for (let at = 0; at < 3; at++) await take(subject)
  const age = (column: 'first_at' | 'blocked_until') =>
    db.run(
      column === 'first_at'
        ? sql`update sign_in_failures set first_at = now() - interval '16 minutes' where subject = ${subject}`
        : sql`update sign_in_failures set blocked_until = now() - interval '1 second' where subject = ${subject}`,
    )
  await age('first_at')
  assert.ok((await countFailure(db, subject, LIMIT))?.blocked_until)
  await assert.rejects(take(subject), refusedBy)
  await age('blocked_until')
  assert.deepEqual(await countFailure(db, subject, LIMIT), { failures: 1, blocked_until: null })
})
