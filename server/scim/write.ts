import { type Change, wholeResource } from './difference.ts'
import { ScimFailure } from './failures.ts'
import { isObject, readResource } from './resource.ts'
import { location, nounOf, type Session, withoutMembers } from './session.ts'
import { type PatchOperation, type Remote, type ResourceType, SCHEMAS } from './types.ts'

/** The ids of all members of a group, loaded only for a provider that needs them. */
export type Members = () => Promise<readonly string[]>

/** PATCH is supported, but not like this, or not with this content. */
const REFUSED_CONTENT = new Set<number | undefined>([400, 422])
const REFUSED_METHOD = new Set<number | undefined>([404, 405, 501])

export const refusesMethod = (failure: ScimFailure | undefined): boolean =>
  REFUSED_METHOD.has(failure?.status)

/** Another form of the request may be accepted. */
export const refusesForm = (error: unknown): error is ScimFailure =>
  error instanceof ScimFailure &&
  error.kind !== 'exists' &&
  (REFUSED_CONTENT.has(error.status) || refusesMethod(error))

/** Returns what the provider holds now, if it says so. */
export async function patch(
  session: Session,
  type: ResourceType,
  id: string,
  Operations: PatchOperation[],
): Promise<Remote | undefined> {
  const { content } = await session.send({
    method: 'PATCH',
    path: location(type, id),
    body: { schemas: [SCHEMAS.PatchOp], Operations },
    to: `change the ${nounOf(type)}`,
  })
  return readResource(content)
}

/**
 * Reads the resource and sends it back with the change. Members are those that the caller names: a provider may not list
 * them, and PUT without them would remove them all.
 */
export async function put(
  session: Session,
  type: ResourceType,
  id: string,
  change: Change,
  members?: Members,
): Promise<Remote | undefined> {
  const remote = await session.get(type, id, members && withoutMembers(type))
  const whole = wholeResource(remote, change)
  if (members) whole.members = (await members()).map((value) => ({ value }))
  const version = session.provider.quirks.etag && isObject(remote.meta) && remote.meta.version
  const { content } = await session.send({
    method: 'PUT',
    path: location(type, id),
    ...(typeof version === 'string' && { headers: { 'if-match': version } }),
    body: whole,
    to: `change the ${nounOf(type)}`,
  })
  return readResource(content)
}
