import type { Db } from '../platform/db/index.ts'
import { resolveRoles } from './authenticate.ts'
import { administratorsOf } from './store.ts'

/** The e-mail addresses of an organization's administrators who hold the scope. */
export async function administratorsWith(
  db: Db,
  organizationId: string,
  scope: string,
): Promise<string[]> {
  const emails: string[] = []
  for (const { email, role_ids, home } of await administratorsOf(db, organizationId)) {
    const roles = await resolveRoles(db.tenant(home), home, role_ids)
    if (roles.some(({ scopes }) => scopes.includes(scope))) emails.push(email)
  }
  return emails
}
