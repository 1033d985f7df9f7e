import { forEachOrganization } from '../../organizations/index.ts'
import { systemCaller } from '../../platform/caller.ts'
import type { UserActor, UserContext } from '../context.ts'
import { eachId } from '../each-id.ts'
import { mailPasswordWarning } from '../mails.ts'
import { isRestricted } from '../restricted-fields.ts'
import { saveChange } from '../save.ts'
import { userSettings } from '../settings.ts'
import { lockUser, type UserRow } from '../store.ts'
import type { PasswordPolicy } from './policy.ts'
import { expiringPasswords, markWarned } from './store.ts'

const DAY = 86_400_000

const runsOutBy = ({ password_expiration_date: date }: UserRow, instant: Date): boolean =>
  date !== null && Date.parse(date) <= instant.getTime()

const eachExpiring = (
  { db }: UserContext,
  organizationId: string,
  before: Date,
  what: 'expire' | 'warn',
  work: (id: string) => Promise<void>,
): Promise<void> =>
  eachId(
    (after) => expiringPasswords(db.tenant(organizationId), organizationId, before, what, after),
    work,
  )

/** Marks the password as expired. Checks again, as it may have been replaced since it was read. */
const expire = (context: UserContext, actor: UserActor, id: string, now: Date) =>
  context.db.tx(actor.organizationId, async (tx) => {
    const row = await lockUser(tx, actor.organizationId, id)
    if (row && !row.password_expired && runsOutBy(row, now))
      await saveChange(context, tx, actor, row, { ...row, password_expired: true })
  })

/** Warns once per expiration date. A password owned by another directory cannot be changed here. */
const warn = (context: UserContext, actor: UserActor, id: string, until: Date) =>
  context.db.tx(actor.organizationId, async (tx) => {
    const row = await lockUser(tx, actor.organizationId, id)
    if (row?.state !== 'ACTIVATED' || !runsOutBy(row, until) || isRestricted(row, 'password'))
      return
    if (await markWarned(tx, actor.organizationId, id))
      await mailPasswordWarning(context, tx, actor, row)
  })

/** How long before expiry users are warned, in milliseconds; null for never. */
const warningTime = (policy: PasswordPolicy): number | null =>
  policy.enableDaysBeforeExpirationToForceReset && policy.daysBeforeExpirationToForceReset
    ? policy.daysBeforeExpirationToForceReset * DAY
    : null

/** Marks expired passwords, and warns about those that expire soon. */
export async function watchPasswords(context: UserContext, now: Date): Promise<void> {
  await forEachOrganization(context.db, async (organizationId) => {
    const actor = systemCaller(organizationId, 'password policy')
    await eachExpiring(context, organizationId, now, 'expire', (id) =>
      expire(context, actor, id, now),
    )
    const { passwordPolicy } = await userSettings(context.db, organizationId)
    const ahead = warningTime(passwordPolicy)
    if (ahead === null) return
    const until = new Date(now.getTime() + ahead)
    await eachExpiring(context, organizationId, until, 'warn', (id) =>
      warn(context, actor, id, until),
    )
  })
}
