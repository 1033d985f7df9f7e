type Json = Record<string, unknown>

const NUMBERS = ['unix_uid', 'unix_guid']

/**
 * Rewrites forms that published clients send into those of the schema, before it is validated: numbers as text, and a
 * record of a user where its id is meant.
 */
export function normalizeUser(body: unknown): void {
  if (typeof body !== 'object' || body === null) return
  const user = body as Json
  for (const name of NUMBERS) {
    const value = user[name]
    if (typeof value === 'string' && /^\d+$/.test(value)) user[name] = Number(value)
  }
  const { manager } = user
  if (typeof manager === 'object' && manager !== null) {
    const { _id, id } = manager as Json
    user.manager = _id ?? id ?? manager
  }
}
