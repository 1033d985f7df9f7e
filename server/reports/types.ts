import type { Caller } from '../platform/caller.ts'
import { forbidden, invalid } from '../platform/errors.ts'

/** Types that can be made, and the areas whose records they show. */
const NEEDS = {
  'os-version': ['systems'],
  'user-account-health': ['users'],
  'users-to-devices': ['users', 'systems'],
  'users-to-directories': ['users', 'directories'],
  'users-to-sso-applications': ['users', 'applications'],
  'users-to-user-groups': ['users', 'groups'],
} as const
export type ReportType = keyof typeof NEEDS
export const REPORT_TYPES = Object.keys(NEEDS) as ReportType[]

/** Published types about things that this service does not keep. */
const WITHOUT_DATA = [
  'browser-patch-policy',
  'os-patch-policy',
  'software-inventory',
  'users-to-ldap-servers',
  'users-to-radius-servers',
]
/** Published lists spell one differently from requests. */
const ALIASES = new Map<string, ReportType>([['users-account-health', 'user-account-health']])

export function readReportType(name: string): ReportType {
  const folded = name.toLowerCase()
  const type = REPORT_TYPES.find((known) => known === (ALIASES.get(folded) ?? folded))
  if (type) return type
  const why = WITHOUT_DATA.includes(folded)
    ? `report_type: there is no data for ${folded} here`
    : `report_type: there is no "${name}"`
  throw invalid('unknown_report_type', `${why}; allowed are ${REPORT_TYPES.join(', ')}`)
}

/** A report is no way round the scopes of what stands in it. */
export function checkMayRead({ scopes }: Pick<Caller, 'scopes'>, type: ReportType): void {
  for (const area of NEEDS[type]) {
    if (scopes.has(area) || scopes.has(`${area}.readonly`)) continue
    const wanted = `${area}, ${area}.readonly`
    throw forbidden(
      'scope_missing',
      `Forbidden: a report of this type needs one of these scopes: ${wanted}`,
    )
  }
}
