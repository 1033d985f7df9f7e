import { ScimFailure } from './failures.ts'
import { PAGE_SIZE } from './list.ts'
import { isObject, type Json, readBoolean } from './resource.ts'
import type { Session } from './session.ts'

/** Some providers have no such endpoint, refuse it to our credentials, or fail. */
const isAbsence = (error: unknown): boolean =>
  error instanceof ScimFailure &&
  error.status !== undefined &&
  ![401, 429, 503].includes(error.status)

/** RFC 7643 §5: what the provider says it can do. Undefined if it does not say. */
export async function readConfig(session: Session): Promise<Json | undefined> {
  const { provider } = session
  const request = { path: '/ServiceProviderConfig', to: 'read the ServiceProviderConfig' }
  try {
    const config = await session.read({ method: 'GET', ...request })
    const part = (name: string): Json => (isObject(config[name]) ? config[name] : {})
    const pageSize = Math.floor(Number(part('filter').maxResults))
    provider.learn({
      config: 'read',
      ...(readBoolean(part('patch').supported) === false && { update: 'put', members: 'put' }),
      ...(readBoolean(part('etag').supported) && { etag: true }),
      ...(pageSize >= 1 && pageSize < PAGE_SIZE && { pageSize }),
    })
    return config
  } catch (error) {
    if (!isAbsence(error)) throw error
    provider.learn({ config: 'absent' })
    return undefined
  }
}

/** Before the first change only. */
export async function ensureConfig(session: Session): Promise<void> {
  const { provider } = session
  if (provider.quirks.config !== undefined) return
  provider.configuring ??= readConfig(session).finally(() => {
    provider.configuring = undefined
  })
  await provider.configuring
}
