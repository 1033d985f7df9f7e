import { administratorsWith } from '../admins/index.ts'
import type { Tx } from '../platform/db/index.ts'
import type { GroupContext } from './context.ts'
import { mailSuggestionsJob } from './job-definitions.ts'
import { memberOf } from './records.ts'
import { type GroupRow, type GroupType, holdGroup, lockGroup } from './store.ts'
import { countSuggestions, hasSuggestionsSince } from './suggestion-store.ts'

const MINUTE = 60_000
/** Suggestions within this time after the first share one mail. */
const GATHERED_MS = 5 * MINUTE

/** Queues the mail in the transaction that creates the suggestions. */
export async function announceSuggestions(
  { send, postMail }: GroupContext,
  tx: Tx,
  organizationId: string,
  { type, id, suggestions_notify }: GroupRow,
  now: Date,
): Promise<void> {
  if (!suggestions_notify || !postMail) return
  // A job already queued mails these too: it locks the group, so it sees them once we commit.
  await holdGroup(tx, organizationId, type, id)
  // Transactions that started slightly earlier may still add to the same mail.
  const since = new Date(now.getTime() - MINUTE).toISOString()
  const startAfter = new Date(now.getTime() + GATHERED_MS)
  const payload = { organizationId, type, id, since }
  await send(tx, mailSuggestionsJob, payload, { startAfter, key: `${organizationId} ${id}` })
}

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`

/** Sends no mail when all new suggestions have been withdrawn or applied by now. */
export async function mailSuggestions(
  { db, postMail, publicUrl }: GroupContext,
  organizationId: string,
  type: GroupType,
  id: string,
  since: string,
): Promise<void> {
  if (!postMail) return
  const emails = await administratorsWith(db, organizationId, 'groups')
  await db.tx(organizationId, async (tx) => {
    const group = await lockGroup(tx, organizationId, type, id)
    if (!group?.suggestions_notify) return
    if (!(await hasSuggestionsSince(tx, organizationId, id, since))) return
    const { add, remove } = await countSuggestions(tx, organizationId, id)
    const noun = memberOf(type)
    const suggested = [
      ...(add > 0 ? [`${counted(add, noun)} should join`] : []),
      ...(remove > 0 ? [`${counted(remove, noun)} should leave`] : []),
    ].join(' and ')
    const address = type === 'user_group' ? 'usergroups' : 'systemgroups'
    const mail = {
      subject: `The group ${group.name} has members to review`,
      body: [
        `By its rule, ${suggested} the group "${group.name}".`,
        '',
        'Nothing changes until an administrator decides:',
        `${publicUrl}/api/v2/${address}/${id}/suggestions`,
        '',
      ].join('\n'),
    }
    for (const recipient of emails) await postMail(tx, { recipient, ...mail })
  })
}
