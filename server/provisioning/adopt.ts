import { type Remote, ScimFailure } from '../scim/index.ts'
import type { Desired } from './evaluate.ts'
import type { Settings } from './settings.ts'

/** SCIM writes a list of objects; some providers send one object, or texts. */
function addressesOf({ emails, userName }: Remote): string[] {
  const values = [emails].flat().map((one) => (one as { value?: unknown } | null)?.value ?? one)
  return [...values, userName].flatMap((one) =>
    typeof one === 'string' ? [one.toLowerCase()] : [],
  )
}

/**
 * Whether an account that was found by the name becomes the user's. A name alone proves nothing: whoever may create users
 * chooses it, and would get the account of somebody else. The address is the user's own, not what the mapping sends.
 */
export function mayAdopt(
  found: Remote,
  { resource, user }: Pick<Desired, 'resource' | 'user'>,
  adopt: Settings['adopt'],
): boolean {
  if (found.externalId && found.externalId === resource?.externalId) return true
  if (adopt !== 'matching') return adopt === 'always'
  const email = user?.email?.toLowerCase()
  return email !== undefined && addressesOf(found).includes(email)
}

export function checkAdoption(
  found: Remote,
  desired: Pick<Desired, 'resource' | 'user'>,
  adopt: Settings['adopt'],
): void {
  if (mayAdopt(found, desired, adopt)) return
  throw new ScimFailure(
    'exists',
    `The provider has an account ${found.userName ?? ''} that we did not make${adopt === 'matching' ? ', with another e-mail address' : ''}. Adopt it by a comparison, or rename one of them`,
  )
}
