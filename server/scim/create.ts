import { ScimFailure } from './failures.ts'
import { find, NAME } from './find.ts'
import { readResource } from './resource.ts'
import { collection, nounOf, type Session } from './session.ts'
import type { Remote, ResourceType, ScimResource } from './types.ts'

/** No response: the provider may have created the resource or not. */
const isLost = (error: unknown): error is ScimFailure =>
  error instanceof ScimFailure && error.kind === 'transient' && error.status === undefined

export async function create(
  session: Session,
  type: ResourceType,
  resource: ScimResource,
): Promise<Remote> {
  const to = `create the ${nounOf(type)}`
  let lost: ScimFailure
  try {
    const request = { method: 'POST', path: collection(type), body: resource, to } as const
    const { content, status } = await session.send(request)
    const created = readResource(content)
    if (created) return created
    lost = new ScimFailure('transient', `Could not ${to}: the provider returned no id`, { status })
  } catch (error) {
    if (!isLost(error)) throw error
    lost = error
  }
  const { externalId } = resource
  const name = String(resource[NAME[type]])
  const wanted = { name, ...(externalId !== undefined && { externalId }) }
  const found = await find(session, type, wanted).catch((error) => {
    // Whether the resource exists is still unknown.
    throw error instanceof ScimFailure && error.kind === 'transient' ? lost : error
  })
  if (!found) throw lost
  return found
}
