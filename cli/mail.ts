import { listMails } from '../server/platform/mail.ts'
import { command, UsageError } from './command.ts'
import { print } from './output.ts'
import { withRuntime } from './runtime.ts'

export const verb = command({
  about: 'Shows the latest mail with its text, whether or not it has been sent.',
  options: { limit: { type: 'string', value: 'N', about: 'Maximum number; 10 by default' } },
  json: true,
  run({ options: { limit = '10' }, json }) {
    if (!/^[1-9]\d{0,5}$/.test(limit)) throw new UsageError('--limit must be a positive number')
    return withRuntime(async ({ db, sealer }) => {
      const mails = await listMails(db, sealer, Number(limit))
      print(json, mails, () =>
        mails.length === 0
          ? ['No mail.']
          : mails.flatMap(({ created, sentAt, recipient, subject, body }, at) => [
              ...(at > 0 ? ['', '-'.repeat(72)] : []),
              `Written: ${created}, ${sentAt === null ? 'not sent' : `sent ${sentAt}`}`,
              `To: ${recipient}`,
              `Subject: ${subject}`,
              '',
              body.trimEnd(),
            ]),
      )
    })
  },
})
