import { listMails } from '../server/platform/mail.ts'
import { command, UsageError } from './command.ts'
import { print } from './output.ts'
import { withRuntime } from './runtime.ts'

const STATES = ['queued', 'kept', 'held', 'sent', 'dropped']

export const verb = command({
  about: 'Shows the latest mail with its text, whether or not it has been sent.',
  options: {
    limit: { type: 'string', value: 'N', about: 'Maximum number; 10 by default' },
    state: { type: 'string', value: 'STATE', about: `Only those: ${STATES.join(', ')}` },
  },
  notes: [
    'kept: until GATEHOUSE_SMTP_URL is set; held: until its bulk job releases it; dropped: not sent,',
    'because its link is no longer of use. A link that has run out is renewed when the mail is sent.',
  ],
  json: true,
  run({ options: { limit = '10', state }, json }) {
    if (!/^[1-9]\d{0,5}$/.test(limit)) throw new UsageError('--limit must be a positive number')
    if (state !== undefined && !STATES.includes(state))
      throw new UsageError(`--state must be one of ${STATES.join(', ')}`)
    return withRuntime(async ({ db, sealer }) => {
      const mails = await listMails(db, sealer, Number(limit), state)
      print(json, mails, () =>
        mails.length === 0
          ? ['No mail.']
          : mails.flatMap(({ created, state, sentAt, recipient, subject, body }, at) => [
              ...(at > 0 ? ['', '-'.repeat(72)] : []),
              `Written: ${created}, ${sentAt === null ? state : `sent ${sentAt}`}`,
              `To: ${recipient}`,
              `Subject: ${subject}`,
              '',
              body.trimEnd(),
            ]),
      )
    })
  },
})
