import { createTransport } from 'nodemailer'
import { Type } from 'typebox'
import type { Config } from './config.ts'
import type { Db, Tx } from './db/index.ts'
import { sql } from './db/sql.ts'
import { newId } from './ids.ts'
import { defineJob, FOR_A_DAY, handle, type Job, type SendJob } from './jobs/definition.ts'
import type { Logger } from './log.ts'
import type { Sealer } from './secrets.ts'

export const sendMailJob = defineJob({
  name: 'platform.send-mail',
  payload: Type.Object({ mailId: Type.String() }),
  retry: FOR_A_DAY,
})

interface Mail {
  recipient: string
  subject: string
  body: string
}

interface MailRow extends Mail {
  id: string
  created: string
  sent_at: string | null
}

export type PostMail = (tx: Tx, mail: Mail) => Promise<void>

/** Stored in the caller's transaction, sent by a job after the commit. The body is sealed: it contains links. */
export const mailPoster =
  (sealer: Sealer, send: SendJob): PostMail =>
  async (tx, { recipient, subject, body }) => {
    const id = newId()
    await tx.run(
      sql`insert into mails (id, recipient, subject, body) values (${id}, ${recipient}, ${subject}, ${sealer.seal(body, `mail ${id}`)})`,
    )
    await send(tx, sendMailJob, { mailId: id })
  }

export function mailJob(db: Db, sealer: Sealer, config: Config, log: Logger): Job {
  const transport = config.smtpUrl ? createTransport(config.smtpUrl) : null
  return handle(sendMailJob, async ({ mailId }) => {
    const mail = await db.one<MailRow>(sql`select * from mails where id = ${mailId}`)
    if (!mail || mail.sent_at !== null) return
    const text = await sealer.unseal(mail.body, `mail ${mail.id}`)
    if (!transport) {
      if (config.development)
        log.info(
          { to: mail.recipient, subject: mail.subject, text },
          'mail not sent: no SMTP server is configured',
        )
      return
    }
    // The Message-ID is stable, so a resend after a crash is recognizable as a duplicate.
    const messageId = `<${mail.id}@${new URL(config.publicUrl).hostname}>`
    await transport.sendMail({
      from: config.mailFrom,
      to: mail.recipient,
      subject: mail.subject,
      text,
      messageId,
    })
    await db.run(sql`update mails set sent_at = now() where id = ${mail.id}`)
  })
}

/** The newest mails with their bodies, for `gatehouse mail`. */
export async function listMails(db: Db, sealer: Sealer, limit: number) {
  const rows = await db.many<MailRow>(
    sql`select * from mails order by created desc, id desc limit ${limit}`,
  )
  return Promise.all(
    rows.map(async ({ id, recipient, subject, body, created, sent_at }) => ({
      id,
      recipient,
      subject,
      created,
      sentAt: sent_at,
      body: await sealer.unseal(body, `mail ${id}`),
    })),
  )
}

export const deleteOldMails = (db: Db) =>
  db.run(sql`delete from mails where created < now() - interval '30 days'`)
