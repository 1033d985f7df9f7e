import type { Db } from '../../server/platform/db/index.ts'
import { listMails } from '../../server/platform/mail.ts'
import type { Sealer } from '../../server/platform/secrets.ts'

/** The password link in the latest mail to this address. */
export async function linkTo(
  { db, sealer }: { db: Db; sealer: Sealer },
  recipient: string,
): Promise<string> {
  const [newest] = (await listMails(db, sealer, 1000))
    .filter((mail) => mail.recipient === recipient && mail.body.includes('/password?'))
    .sort((a, b) => b.created.localeCompare(a.created))
  return /http\S+/.exec(newest!.body)![0]
}
