import assert from 'node:assert/strict'
import { newId } from '../server/platform/ids.ts'
import type { Response } from './harness.ts'

/** The required members of a user, with a unique name. */
export const person = (more: object = {}) => {
  const username = `user.${newId()}`
  return { username, email: `${username}@example.com`, ...more }
}

interface Creator {
  post: (url: string, body: object) => Promise<Response>
}

/** Creates a user and returns the record of the response. */
export async function addUser(org: Creator, more: object = {}) {
  const res = await org.post('/api/systemusers', person(more))
  assert.equal(res.statusCode, 200, res.body)
  return res.json()
}
