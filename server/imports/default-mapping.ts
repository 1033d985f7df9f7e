import type { Mapping, MappingExpression } from '../platform/mapping/index.ts'
import type { SourceSettings } from './sources/settings.ts'

const source = (path: string): MappingExpression => ({ source: path })
const firstOf = (...paths: string[]): MappingExpression =>
  paths.length === 1 ? source(paths[0]!) : { first: paths.map(source) }

/** "first name" as JSON and CSV files spell it: firstName, first_name, First Name, … */
function spellings(phrase: string): string[] {
  const words = phrase.split(' ')
  const capital = (text: string) => text[0]!.toUpperCase() + text.slice(1)
  const title = words.map((word) => (word === 'id' ? 'ID' : capital(word))).join(' ')
  const [first, ...rest] = words
  const all = [
    [first, ...rest.map(capital)].join(''),
    ...[words.join('_'), words.join(''), title, capital(phrase), phrase, phrase.toUpperCase()],
  ]
  return [...new Set(all)]
}

/** Phrases in every spelling; a path is taken as it is. */
const pathsOf = (...names: string[]): string[] =>
  names.flatMap((name) => (/[.[-]/.test(name) ? name : spellings(name)))
const named = (...names: string[]): MappingExpression => firstOf(...pathsOf(...names))

const STATES = {
  ...{ activated: 'ACTIVATED', active: 'ACTIVATED', enabled: 'ACTIVATED', true: 'ACTIVATED' },
  ...{ yes: 'ACTIVATED', 1: 'ACTIVATED', staged: 'STAGED', pending: 'STAGED' },
  ...{ suspended: 'SUSPENDED', inactive: 'SUSPENDED', disabled: 'SUSPENDED', false: 'SUSPENDED' },
  ...{ no: 'SUSPENDED', 0: 'SUSPENDED', terminated: 'SUSPENDED', deactivated: 'SUSPENDED' },
}
const stateOf = (value: MappingExpression): MappingExpression => ({ map: value, values: STATES })

const EMAIL = named(
  ...['work email', 'email', 'email address', 'work email address', 'company email', 'mail'],
  ...['e-mail', 'E-mail', 'E-Mail', 'emails[primary eq true].value', 'emails[0].value'],
)

const VALUES: Record<string, MappingExpression> = {
  email: EMAIL,
  // Without a username of its own, a person gets the first part of the address.
  username: {
    first: [
      named('username', 'user name', 'login', 'login name'),
      { lower: { split: EMAIL, separator: '@', index: 0 } },
    ],
  },
  firstname: named('first name', 'given name', 'forename', 'name.givenName', 'name.first'),
  middlename: named('middle name', 'name.middleName'),
  lastname: named('last name', 'family name', 'surname', 'name.familyName', 'name.last'),
  alternateEmail: named('alternate email', 'personal email', 'private email'),
  company: named('company.name', 'company', 'company name'),
  costCenter: named('cost center', 'cost centre'),
  department: named('department.name', 'department', 'department name'),
  description: named('description'),
  employeeIdentifier: named('employee identifier', 'employee id', 'employee number'),
  employeeType: named('employee type', 'employment type'),
  jobTitle: named('job title', 'title', 'position'),
  location: named('location.city', 'location.name', 'location', 'office', 'office location'),
  manager: named(
    ...['manager.id', 'manager.email', 'manager id', 'manager email', 'manager username'],
    'manager',
  ),
  'phoneNumbers[type eq "work"].number': named(
    ...['work phone', 'office phone', 'business phone', 'phone', 'phone number', 'telephone'],
  ),
  'phoneNumbers[type eq "mobile"].number': named(
    ...['mobile', 'mobile phone', 'mobile number', 'cell phone'],
  ),
  'addresses[type eq "work"].streetAddress': named('street address', 'street', 'address.street'),
  'addresses[type eq "work"].locality': named('city', 'address.city'),
  'addresses[type eq "work"].postalCode': named('postal code', 'zip code', 'zip', 'postcode'),
  'addresses[type eq "work"].country': named('country', 'location.country', 'address.country'),
  // Last, since it may be one of the United States; what is not listed asks for nothing.
  state: stateOf(
    named('status', 'employment status', 'account status', 'active', 'enabled', 'state'),
  ),
  // In a cell: Engineering; Leads
  groups: { split: { split: named('groups', 'group'), separator: ';' }, separator: '|' },
}

/** In JSON, `name` may be an object with these members. */
const PARTS = ['givenName', 'familyName', 'first', 'last', 'firstName', 'lastName']
const FULL_NAME: Mapping = [
  {
    target: 'displayname',
    value: named('display name', 'full name', 'name.formatted', 'name.full'),
    when: { or: PARTS.map((part) => ({ field: `name.${part}`, operator: 'exists' as const })) },
  },
  { target: 'displayname', value: named('display name', 'full name', 'name') },
]

const IDS = ['external id', 'employee id', 'employee identifier', 'employee number']

const byName = (ids: string[]): Mapping => [
  { target: 'externalId', value: named(...ids) },
  ...Object.entries(VALUES).map(([target, value]) => ({ target, value })),
  ...FULL_NAME,
]

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

const SCIM: Mapping = [
  { target: 'externalId', value: source('id') },
  { target: 'username', value: source('userName') },
  {
    target: 'email',
    value: firstOf(
      'emails[primary eq true].value',
      'emails[type eq "work"].value',
      'emails[0].value',
    ),
  },
  { target: 'firstname', value: source('name.givenName') },
  { target: 'middlename', value: source('name.middleName') },
  { target: 'lastname', value: source('name.familyName') },
  { target: 'displayname', value: source('displayName') },
  { target: 'jobTitle', value: source('title') },
  { target: 'employeeType', value: source('userType') },
  { target: 'employeeIdentifier', value: source(`${ENTERPRISE}:employeeNumber`) },
  { target: 'costCenter', value: source(`${ENTERPRISE}:costCenter`) },
  { target: 'company', value: source(`${ENTERPRISE}:organization`) },
  { target: 'department', value: source(`${ENTERPRISE}:department`) },
  { target: 'manager', value: source(`${ENTERPRISE}:manager.value`) },
  {
    target: 'phoneNumbers[type eq "work"].number',
    value: source('phoneNumbers[type eq "work"].value'),
  },
  {
    target: 'phoneNumbers[type eq "mobile"].number',
    value: source('phoneNumbers[type eq "mobile"].value'),
  },
  { target: 'state', value: stateOf(source('active')) },
]

/** Used when the configuration has no mapping. */
export function defaultMapping(settings: SourceSettings): Mapping {
  if (settings.kind === 'scim') return SCIM
  // Numbers in the column `id` of a CSV file are often those of its rows, which are others in the next file.
  const numbered = settings.kind === 'file' && settings.format === 'csv'
  return byName(numbered ? IDS : ['external id', 'id', ...IDS])
}
