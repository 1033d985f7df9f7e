import type { Mapping, MappingExpression } from '../platform/mapping/index.ts'
import type { SourceSettings } from './sources/settings.ts'

const source = (path: string): MappingExpression => ({ source: path })
const firstOf = (...paths: string[]): MappingExpression =>
  paths.length === 1 ? source(paths[0]!) : { first: paths.map(source) }

const STATE_BY_ACTIVE: MappingExpression = {
  map: source('active'),
  values: { true: 'ACTIVATED', false: 'SUSPENDED' },
}

/** The common spellings of each field, in files and in JSON. */
const SPELLINGS: Record<string, string[]> = {
  externalId: ['externalId', 'external_id', 'id', 'employeeIdentifier', 'Employee ID'],
  username: ['username', 'userName', 'user_name', 'Username', 'login'],
  email: ['email', 'Email', 'mail', 'workEmail', 'work_email', 'Work Email', 'E-mail'],
  firstname: ['firstname', 'firstName', 'first_name', 'First Name', 'givenName'],
  middlename: ['middlename', 'middleName', 'middle_name', 'Middle Name'],
  lastname: ['lastname', 'lastName', 'last_name', 'Last Name', 'familyName'],
  displayname: ['displayname', 'displayName', 'display_name', 'Display Name'],
  alternateEmail: ['alternateEmail', 'personalEmail', 'Personal Email'],
  company: ['company', 'Company'],
  costCenter: ['costCenter', 'cost_center', 'Cost Center'],
  department: ['department', 'Department'],
  description: ['description', 'Description'],
  employeeIdentifier: ['employeeIdentifier', 'employeeId', 'employee_id', 'Employee ID'],
  employeeType: ['employeeType', 'employee_type', 'Employee Type'],
  jobTitle: ['jobTitle', 'job_title', 'title', 'Job Title'],
  location: ['location', 'Location'],
  manager: ['manager', 'managerId', 'manager_id', 'managerEmail', 'Manager'],
}

const BY_NAME: Mapping = [
  ...Object.entries(SPELLINGS).map(([target, names]) => ({ target, value: firstOf(...names) })),
  {
    target: 'phoneNumbers[type eq "work"].number',
    value: firstOf('phone', 'workPhone', 'Work Phone'),
  },
  {
    target: 'phoneNumbers[type eq "mobile"].number',
    value: firstOf('mobile', 'mobilePhone', 'Mobile Phone'),
  },
  { target: 'state', value: { first: [source('state'), STATE_BY_ACTIVE] } },
  { target: 'groups', value: firstOf('groups') },
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
  { target: 'state', value: STATE_BY_ACTIVE },
]

/** Used when the configuration has no mapping. */
export const defaultMapping = ({ kind }: Pick<SourceSettings, 'kind'>): Mapping =>
  kind === 'scim' ? SCIM : BY_NAME
