import type { SsoConfig } from '../../applications/index.ts'
import type { User } from '../../users/index.ts'
import type { Attribute } from '../messages/assertion.ts'
import { AUTHN_CONTEXT } from '../names.ts'
import { propertyOf } from './user-property.ts'

/** RFC 8176 names, and the claim that Microsoft services expect. */
const AMR = 'amr'
const MICROSOFT_AMR = 'http://schemas.microsoft.com/claims/authnmethodsreferences'

function methodReferences(methods: readonly string[]): [name: string, values: string[]][] {
  if (methods.length < 2) return [[AMR, [...methods]]]
  return [
    [AMR, [...methods, 'mfa']],
    [MICROSOFT_AMR, [AUTHN_CONTEXT.microsoftMfa]],
  ]
}

/** The attributes of the assertion: one per name, without those that have no value. */
export function attributesFor(
  user: User,
  config: SsoConfig,
  { groups, methods }: { groups: string[]; methods: readonly string[] },
): Attribute[] {
  const found = new Map<string, string[]>()
  const add = (name: string, values: string[]) => {
    if (name !== '' && values.length > 0) found.set(name, [...(found.get(name) ?? []), ...values])
  }
  for (const { name, value } of config.constantAttributes) add(name, value === '' ? [] : [value])
  for (const { name, value } of config.databaseAttributes) add(name, propertyOf(user, value))
  if (config.groupsAttribute !== undefined) add(config.groupsAttribute, groups)
  if (config.authClaims.sendAmrClaim)
    for (const [name, values] of methodReferences(methods)) add(name, values)
  return [...found].map(([name, values]) => ({ name, values }))
}
