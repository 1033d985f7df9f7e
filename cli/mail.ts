import { listMails } from '../server/platform/mail.ts'
import { command, UsageError } from './command.ts'
import { print } from './output.ts'
import { withRuntime } from './runtime.ts'

export const verb = command({
  about: 'Shows the newest mails with their text, whether or not a mail server has taken them.',
  options: { limit: { type: 'string', value: 'N', about: 'How many at most; 10 by default' } },
  json: true,
  run({ options: { limit = '10' }, json }) {
    if (!/^[1-9]\d{0,5}$/.test(limit)) throw new UsageError('--limit must be a positive number')
    return withRuntime(async ({ db, sealer }) => {
      const mails = await listMails(db, sealer, Number(limit))
      print(json, mails, () =>
        mails.length === 0
          ? ['There are no mails.']
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
