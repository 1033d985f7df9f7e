import { createTransport } from 'nodemailer'
import { Type } from 'typebox'
import type { Config } from './config.ts'
import type { Db, Tx } from './db/index.ts'
import { empty, type Sql, sql } from './db/sql.ts'
import { newId } from './ids.ts'
import { defineJob, FOR_A_DAY, handle, type Job, type SendJob } from './jobs/definition.ts'
import type { Logger } from './log.ts'
import { type Sealer, sha256 } from './secrets.ts'

export const sendMailJob = defineJob({
  name: 'platform.send-mail',
  payload: Type.Object({ mailId: Type.String() }),
  retry: FOR_A_DAY,
})

/** The one-time link in a body: it may run out before the mail is sent. */
export interface MailLink {
  for: 'user' | 'administrator'
  /** Whose tenant the link is in. */
  tenant: string
  id: string
  /** As the body says it. */
  expiresAt: string
  hours: number
}

interface Mail {
  recipient: string
  subject: string
  body: string
  link?: MailLink
  /** A bulk job whose administrator releases its mails. */
  heldFor?: string | undefined
}

interface MailRow {
  id: string
  recipient: string
  subject: string
  body: string
  created: string
  sent_at: string | null
  /**
   * queued: a job sends it; kept: until there is a mail server; held: until it is released; dropped: its link is no
   * longer of use to anybody.
   */
  state: 'queued' | 'kept' | 'held' | 'sent' | 'dropped'
  link: MailLink | null
}

export type PostMail = (tx: Tx, mail: Mail) => Promise<void>

/** Stored in the caller's transaction, sent by a job after the commit. The body is sealed: it contains links. */
export const mailPoster =
  (sealer: Sealer, send: SendJob): PostMail =>
  async (tx, { recipient, subject, body, link, heldFor }) => {
    const id = newId()
    const sealed = sealer.seal(body, `mail ${id}`)
    const state = heldFor === undefined ? 'queued' : 'held'
    await tx.run(sql`
      insert into mails (id, recipient, subject, body, state, held_for, link)
      values (${id}, ${recipient}, ${subject}, ${sealed}, ${state}, ${heldFor ?? null}, ${link ? JSON.stringify(link) : null})`)
    if (heldFor === undefined) await send(tx, sendMailJob, { mailId: id })
  }

/** Makes the link with this token valid until then. False when nobody needs it any more. */
export type RenewLink = (
  link: MailLink,
  renewal: { hash: Buffer; until: string; written: string },
) => Promise<boolean>

/** A mail that is sent sooner has not been kept or held, so nobody else has seen its link. */
const FRESH_MS = 60_000
const TOKEN = /[?&]token=([\w-]+)/

/** The text with a link that works; null when its recipient no longer needs it. */
async function withFreshLink(text: string, mail: MailRow, renew: RenewLink) {
  const { link } = mail
  if (link === null) return { text, link }
  const valid = Date.parse(link.expiresAt) > Date.now()
  if (valid && Date.now() - Date.parse(mail.created) < FRESH_MS) return { text, link }
  const token = TOKEN.exec(text)![1]!
  const until = valid ? link.expiresAt : new Date(Date.now() + link.hours * 3_600_000).toISOString()
  if (!(await renew(link, { hash: sha256(token), until, written: mail.created }))) return null
  return { text: text.replaceAll(link.expiresAt, until), link: { ...link, expiresAt: until } }
}

const setState = (db: Db, id: string, state: MailRow['state']) =>
  db.run(sql`update mails set state = ${state} where id = ${id}`)

export function mailJob(
  db: Db,
  sealer: Sealer,
  config: Config,
  log: Logger,
  renew: RenewLink,
): Job {
  const transport = config.smtpUrl ? createTransport(config.smtpUrl) : null
  return handle(sendMailJob, async ({ mailId }) => {
    const mail = await db.one<MailRow>(sql`select * from mails where id = ${mailId}`)
    if (mail?.state !== 'queued') return
    const stored = await sealer.unseal(mail.body, `mail ${mail.id}`)
    if (!transport) {
      await setState(db, mail.id, 'kept')
      if (config.development)
        log.info(
          { to: mail.recipient, subject: mail.subject, text: stored },
          'mail not sent: no SMTP server is configured',
        )
      return
    }
    const fresh = await withFreshLink(stored, mail, renew)
    if (fresh === null) return void (await setState(db, mail.id, 'dropped'))
    const { text, link } = fresh
    // The Message-ID is stable, so a resend after a crash is recognizable as a duplicate.
    const messageId = `<${mail.id}@${new URL(config.publicUrl).hostname}>`
    await transport.sendMail({
      from: config.mailFrom,
      to: mail.recipient,
      subject: mail.subject,
      text,
      messageId,
    })
    await db.run(sql`
      update mails set sent_at = now(), state = 'sent', body = ${sealer.seal(text, `mail ${mail.id}`)},
             link = ${link ? JSON.stringify(link) : null} where id = ${mail.id}`)
  })
}

const RELEASE = 1000

/** Sends waiting mails, some at a time; returns how many. */
async function release(db: Db, send: SendJob, waiting: Sql): Promise<number> {
  for (let total = 0; ; ) {
    const ids = await db.tx(null, async (tx) => {
      const rows = await tx.many<{ id: string }>(sql`
        update mails set state = 'queued' where id in (
          select id from mails where ${waiting} order by created limit ${RELEASE} for update skip locked)
        returning id`)
      for (const { id } of rows) await send(tx, sendMailJob, { mailId: id })
      return rows
    })
    total += ids.length
    if (ids.length < RELEASE) return total
  }
}

/** When there is a mail server: mails from the time before. */
export const sendKept = (db: Db, send: SendJob) => release(db, send, sql`state = 'kept'`)

/** The mails that a bulk job holds. */
export const releaseHeld = (db: Db, send: SendJob, jobId: string) =>
  release(db, send, sql`state = 'held' and held_for = ${jobId}`)

/** Mails that wait for a mail server or for their release. */
export const countWaiting = async (db: Db): Promise<{ kept: number; held: number }> =>
  (await db.one(sql`
    select count(*) filter (where state = 'kept') as kept, count(*) filter (where state = 'held') as held
      from mails where state in ('kept', 'held')`))!

/** The newest mails with their bodies, for `gatehouse mail`. */
export async function listMails(db: Db, sealer: Sealer, limit: number, state?: string) {
  const rows = await db.many<MailRow>(sql`
    select * from mails ${state === undefined ? empty : sql`where state = ${state}`}
     order by created desc, id desc limit ${limit}`)
  return Promise.all(
    rows.map(async ({ id, recipient, subject, body, created, sent_at, state }) => ({
      id,
      recipient,
      subject,
      created,
      state,
      sentAt: sent_at,
      body: await sealer.unseal(body, `mail ${id}`),
    })),
  )
}

/** Mails that wait are kept for longer: a mail server may come late. */
export const deleteOldMails = (db: Db) =>
  db.run(sql`
    delete from mails
     where created < now() - interval '30 days' and (state not in ('kept', 'held') or created < now() - interval '1 year')`)
