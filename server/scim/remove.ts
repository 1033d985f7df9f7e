import { ScimFailure } from './failures.ts'
import { location, nounOf, type Session } from './session.ts'
import type { ResourceType } from './types.ts'

/** A resource that is not there is removed already. */
export async function remove(session: Session, type: ResourceType, id: string): Promise<void> {
  const to = `delete the ${nounOf(type)}`
  try {
    await session.send({ method: 'DELETE', path: location(type, id), to })
  } catch (error) {
    if (!(error instanceof ScimFailure)) throw error
    if (error.kind === 'not_found') return
    // Some providers fail when there is nothing to delete.
    const failed = error.status !== undefined && error.status >= 500 && error.status !== 503
    if (!failed || (await session.lookUp(type, id))) throw error
  }
}
