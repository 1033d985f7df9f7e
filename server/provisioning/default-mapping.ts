import type { ProvisioningTemplate } from '../applications/index.ts'
import type { Mapping } from '../platform/mapping/index.ts'

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

/** Suits any provider that follows RFC 7643; templates may bring their own. */
const DEFAULT_MAPPING: Mapping = [
  { target: 'userName', value: { source: 'username' }, required: true },
  { target: 'name.givenName', value: { source: 'firstname' } },
  { target: 'name.familyName', value: { source: 'lastname' } },
  {
    target: 'displayName',
    value: {
      first: [
        { source: 'displayname' },
        { join: [{ source: 'firstname' }, { source: 'lastname' }], separator: ' ' },
        { source: 'username' },
      ],
    },
  },
  { target: 'emails[type eq "work"].value', value: { source: 'email' } },
  { target: 'emails[type eq "work"].primary', value: { constant: true } },
  { target: 'title', value: { source: 'jobTitle' } },
  {
    target: 'phoneNumbers[type eq "work"].value',
    value: { source: 'phoneNumbers[type eq "work"].number' },
  },
  {
    target: 'phoneNumbers[type eq "mobile"].value',
    value: { source: 'phoneNumbers[type eq "mobile"].number' },
  },
  { target: `${ENTERPRISE}:employeeNumber`, value: { source: 'employeeIdentifier' } },
  { target: `${ENTERPRISE}:department`, value: { source: 'department' } },
  { target: `${ENTERPRISE}:organization`, value: { source: 'company' } },
  { target: `${ENTERPRISE}:costCenter`, value: { source: 'costCenter' } },
  { target: `${ENTERPRISE}:manager.value`, value: { source: 'managerAccount.remoteId' } },
]

const isAtOrBelow = (target: string, path: string): boolean =>
  target.startsWith(path) && ['', '.', '[', ':'].includes(target.charAt(path.length))

/** The default mapping with the changes of a template. */
export function mappingOf({ mapping = {} }: Pick<ProvisioningTemplate, 'mapping'> = {}): Mapping {
  const changes = Object.entries(mapping)
  const kept = DEFAULT_MAPPING.filter(
    ({ target }) => !changes.some(([path, rule]) => rule === null && isAtOrBelow(target, path)),
  )
  const replaced = kept.map((rule) => ({ ...rule, ...mapping[rule.target] }))
  const added = changes.flatMap(([target, rule]) =>
    rule === null || kept.some((known) => known.target === target) ? [] : [{ target, ...rule }],
  )
  return [...replaced, ...added]
}
