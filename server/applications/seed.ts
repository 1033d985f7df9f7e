import type { Tx } from '../platform/db/index.ts'
import { makeKeyPair } from '../platform/x509/certificate.ts'
import { seedRow } from './actions.ts'
import type { ApplicationContext } from './context.ts'
import type { ApplicationWrite } from './schema.ts'
import { readWrite, templateFor } from './write.ts'

/** An application for the demo: without an event, and with a given id. */
export async function seedApplication(
  context: Pick<ApplicationContext, 'sealer' | 'publicUrl'>,
  tx: Tx,
  organization: { id: string; name: string },
  id: string,
  body: ApplicationWrite,
): Promise<void> {
  const template = templateFor(body)
  const { written } = readWrite(template, body, null, context.publicUrl)
  const pair =
    template.sso.type === 'bookmark'
      ? null
      : await makeKeyPair(written.slug ?? id, organization.name, new Date())
  await seedRow(context, tx, organization.id, { ...written, id }, pair)
}
