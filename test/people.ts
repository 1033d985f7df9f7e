import assert from 'node:assert/strict'
import { newId } from '../server/platform/ids.ts'
import type { Response } from './harness.ts'

/** What a user needs, under a name that nobody has. */
export const person = (more: object = {}) => {
  const username = `user.${newId()}`
  return { username, email: `${username}@example.com`, ...more }
}

interface Creator {
  post: (url: string, body: object) => Promise<Response>
}

/** A user of the organization: the record as its creation answers it. */
export async function addUser(org: Creator, more: object = {}) {
  const res = await org.post('/api/systemusers', person(more))
  assert.equal(res.statusCode, 200, res.body)
  return res.json()
}
