import { after } from 'node:test'
import { startScimLab } from '../lab/scim/serve.ts'

/** A SCIM provider for a test, and a client that takes and gives JSON as it is. */
export async function startLab(options: Parameters<typeof startScimLab>[0] = {}) {
  const lab = await startScimLab(options)
  after(lab.close)
  let credential = lab.token
  async function call(method: string, path: string, body?: unknown, extra: HeadersInit = {}) {
    const headers = new Headers({
      authorization: `Bearer ${credential}`,
      ...(body !== undefined && { 'content-type': 'application/scim+json' }),
    })
    for (const [name, value] of new Headers(extra)) headers.set(name, value)
    const answer = await fetch(path.startsWith('http') ? path : `${lab.url}${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await answer.text()
    const type = answer.headers.get('content-type') ?? ''
    const json = text !== '' && !type.includes('html') ? JSON.parse(text) : undefined
    return { status: answer.status, headers: answer.headers, type, text, json }
  }
  const patch = (path: string, ...Operations: object[]) =>
    call('PATCH', path, {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations,
    })
  const userBody = (userName: string, more: object = {}) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    userName,
    ...more,
  })
  const groupBody = (displayName: string, ...members: string[]) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
    displayName,
    ...(members.length > 0 && { members: members.map((value) => ({ value })) }),
  })
  return {
    ...lab,
    call,
    patch,
    userBody,
    groupBody,
    /** A user or group that is there already: the id, whatever the profile answers to POST. */
    addUser: (userName: string, more: object = {}) =>
      lab.store.insert('Users', crypto.randomUUID(), { userName, ...more }, []).id,
    addGroup: (displayName: string, ...members: string[]) =>
      lab.store.insert(
        'Groups',
        crypto.randomUUID(),
        {
          displayName,
          ...(members.length > 0 && { members: members.map((value) => ({ value })) }),
        },
        [],
      ).id,
    useToken(token: string) {
      credential = token
    },
  }
}
