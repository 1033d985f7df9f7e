import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  activation,
  initialState,
  openMfaWindow,
  requestedState,
  transitionBetween,
} from './lifecycle.ts'
import type { UserState } from './schema.ts'

const refused = (reason: string) => (error: unknown) =>
  (error as { reason?: string }).reason === reason

test('every pair of states has a transition, no change, or an error', () => {
  const table: [UserState, UserState, string | null][] = [
    ['STAGED', 'STAGED', null],
    ['STAGED', 'ACTIVATED', 'activated'],
    ['STAGED', 'SUSPENDED', 'suspended'],
    ['ACTIVATED', 'ACTIVATED', null],
    ['ACTIVATED', 'SUSPENDED', 'suspended'],
    ['SUSPENDED', 'ACTIVATED', 'unsuspended'],
    ['SUSPENDED', 'SUSPENDED', null],
  ]
  for (const [from, to, transition] of table)
    assert.equal(transitionBetween(from, to), transition, `${from} → ${to}`)
  for (const from of ['ACTIVATED', 'SUSPENDED'] as const)
    assert.throws(() => transitionBetween(from, 'STAGED'), refused('state_staged'))
})

test('state/activate is for STAGED users; a repeat does nothing', () => {
  assert.equal(activation('STAGED'), 'activated')
  assert.equal(activation('ACTIVATED'), null)
  assert.throws(() => activation('SUSPENDED'), refused('user_suspended'))
})

test('a PUT may request a state with state, suspended or both', () => {
  const table: [UserState, UserState | undefined, boolean | undefined, UserState][] = [
    ['STAGED', undefined, undefined, 'STAGED'],
    ['STAGED', 'STAGED', false, 'STAGED'],
    ['STAGED', undefined, false, 'STAGED'],
    ['STAGED', 'ACTIVATED', undefined, 'ACTIVATED'],
    ['STAGED', undefined, true, 'SUSPENDED'],
    ['ACTIVATED', undefined, false, 'ACTIVATED'],
    ['ACTIVATED', undefined, true, 'SUSPENDED'],
    ['ACTIVATED', 'SUSPENDED', true, 'SUSPENDED'],
    ['SUSPENDED', undefined, false, 'ACTIVATED'],
    ['SUSPENDED', 'ACTIVATED', false, 'ACTIVATED'],
    ['SUSPENDED', undefined, undefined, 'SUSPENDED'],
  ]
  for (const [current, state, suspended, expected] of table)
    assert.equal(requestedState(current, { state, suspended }), expected)
})

test('a contradiction of state and suspended is refused', () => {
  for (const [state, suspended] of [
    ['ACTIVATED', true],
    ['STAGED', true],
    ['SUSPENDED', false],
  ] as const) {
    const request = { state, suspended }
    assert.throws(() => requestedState('ACTIVATED', request), refused('state_contradiction'))
    assert.throws(() => initialState(request, 'ACTIVATED'), refused('state_contradiction'))
  }
})

test('a new user gets the requested state, or the default of the organization', () => {
  assert.equal(initialState({}, 'STAGED'), 'STAGED')
  assert.equal(initialState({ state: 'ACTIVATED' }, 'STAGED'), 'ACTIVATED')
  assert.equal(initialState({ suspended: true }, 'STAGED'), 'SUSPENDED')
  assert.equal(initialState({ suspended: false }, 'STAGED'), 'STAGED')
})

test('a window given in days opens with activation', () => {
  const now = new Date('2026-03-01T00:00:00.000Z')
  const mfa = { exclusion: true, exclusionDays: 7 }
  assert.deepEqual(openMfaWindow(mfa, 'STAGED', now), mfa)
  assert.deepEqual(openMfaWindow(mfa, 'ACTIVATED', now), {
    ...mfa,
    exclusionUntil: '2026-03-08T00:00:00.000Z',
  })
  const open = { exclusion: true, exclusionDays: 7, exclusionUntil: '2026-02-01T00:00:00.000Z' }
  assert.deepEqual(openMfaWindow(open, 'ACTIVATED', now), open)
})
