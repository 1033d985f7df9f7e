import { ensureConfig } from './config.ts'
import { type Change, operationByValue, operationsByPath } from './difference.ts'
import { ScimFailure } from './failures.ts'
import type { Session } from './session.ts'
import type { Remote, ResourceType } from './types.ts'
import { type Members, patch, put, refusesForm, refusesMethod } from './write.ts'

/** In the order in which they are tried until one has worked. */
const FORMS = ['path', 'value', 'put'] as const
type Form = (typeof FORMS)[number]

/**
 * A person who is believed to be locked out must be, so the effect of this attribute is checked: in the response, or if
 * that is empty, once by reading the user again.
 */
async function checkActive(
  session: Session,
  id: string,
  active: boolean,
  echo: Remote | undefined,
  proven: boolean,
): Promise<ScimFailure | undefined> {
  const seen = echo || proven ? echo : await session.lookUp('User', id)
  if (seen?.active === undefined || seen.active === active) return undefined
  return new ScimFailure(
    'rejected',
    `The provider accepted the change of the user, but active is still ${seen.active}`,
  )
}

/**
 * Changes attributes in the form that the provider understands, and learns which one that is. `members` are those of a
 * group, for a provider that needs all of them.
 */
export async function update(
  session: Session,
  type: ResourceType,
  id: string,
  change: Change,
  members?: Members,
): Promise<void> {
  const operations = operationsByPath(change)
  if (operations.length === 0) return
  await ensureConfig(session)
  const { provider } = session
  const known = provider.quirks.update
  const removes = operations.some(({ op }) => op === 'remove')
  const active = operations.find(({ path }) => path === 'active')?.value

  const send = (form: Form): Promise<Remote | undefined> => {
    if (form === 'path') return patch(session, type, id, operations)
    if (form === 'value') return patch(session, type, id, [operationByValue(change)])
    return put(session, type, id, change, members)
  }
  const attempt = async (form: Form): Promise<ScimFailure | undefined> => {
    try {
      const echo = await send(form)
      if (typeof active !== 'boolean') return undefined
      return await checkActive(session, id, active, echo, form === known)
    } catch (error) {
      // PUT reads the resource first, so then it is gone.
      if (!refusesForm(error) || (form === 'put' && error.kind === 'not_found')) throw error
      return error
    }
  }

  let first: ScimFailure | undefined
  for (const form of known ? [known, ...FORMS.filter((one) => one !== known)] : FORMS) {
    if (form === 'value' && (removes || refusesMethod(first))) continue
    const failure = await attempt(form)
    if (!failure) {
      provider.learn({ update: form })
      return
    }
    first ??= failure
    // A form that has worked before is refused for its content, unless the provider no longer has the method.
    const { status } = failure
    if (form === known && status !== undefined && status !== 405 && status !== 501) break
  }
  throw first
}
