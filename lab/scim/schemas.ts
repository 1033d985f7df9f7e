// The schemas of RFC 7643 §4, in the form in which /Schemas serves them (§7). The same tables check requests.

const CORE = 'urn:ietf:params:scim:schemas:core:2.0'
const MESSAGES = 'urn:ietf:params:scim:api:messages:2.0'

export const URNS = {
  user: `${CORE}:User`,
  group: `${CORE}:Group`,
  enterprise: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
  schema: `${CORE}:Schema`,
  resourceType: `${CORE}:ResourceType`,
  config: `${CORE}:ServiceProviderConfig`,
  list: `${MESSAGES}:ListResponse`,
  patch: `${MESSAGES}:PatchOp`,
  error: `${MESSAGES}:Error`,
}

export interface Attribute {
  name: string
  type: 'string' | 'boolean' | 'complex' | 'dateTime' | 'reference' | 'binary'
  multiValued: boolean
  required: boolean
  caseExact: boolean
  mutability: 'readWrite' | 'readOnly' | 'writeOnly'
  returned: 'always' | 'default' | 'never'
  uniqueness: 'none' | 'server'
  subAttributes?: Attribute[]
}

const attribute = (name: string, options: Partial<Attribute> = {}): Attribute => ({
  name,
  type: 'string',
  multiValued: false,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...options,
})
const texts = (...names: string[]): Attribute[] => names.map((name) => attribute(name))
const exact = (name: string, options: Partial<Attribute> = {}): Attribute =>
  attribute(name, { caseExact: true, ...options })
const complex = (name: string, subAttributes: Attribute[], options: Partial<Attribute> = {}) =>
  attribute(name, { type: 'complex', subAttributes, ...options })
const reference = attribute('$ref', { type: 'reference', caseExact: true, mutability: 'readOnly' })
const primary = attribute('primary', { type: 'boolean' })

/** RFC 7643 §2.4: the sub-attributes that multi-valued attributes share. */
const plural = (name: string, value: Partial<Attribute> = {}): Attribute =>
  complex(name, [attribute('value', value), ...texts('display', 'type'), primary], {
    multiValued: true,
  })

const USER = [
  attribute('userName', { required: true, uniqueness: 'server' }),
  complex(
    'name',
    texts(
      ...['formatted', 'familyName', 'givenName', 'middleName'],
      ...['honorificPrefix', 'honorificSuffix'],
    ),
  ),
  ...texts('displayName', 'nickName', 'title', 'userType'),
  attribute('profileUrl', { type: 'reference', caseExact: true }),
  ...texts('preferredLanguage', 'locale', 'timezone'),
  attribute('active', { type: 'boolean' }),
  attribute('password', { mutability: 'writeOnly', returned: 'never' }),
  plural('emails'),
  plural('phoneNumbers'),
  plural('ims'),
  plural('photos', { type: 'reference', caseExact: true }),
  complex(
    'addresses',
    [
      ...texts('formatted', 'streetAddress', 'locality', 'region', 'postalCode', 'country'),
      attribute('type'),
      primary,
    ],
    { multiValued: true },
  ),
  complex('groups', [exact('value'), reference, ...texts('display', 'type')], {
    multiValued: true,
    mutability: 'readOnly',
  }),
  plural('entitlements'),
  plural('roles'),
  plural('x509Certificates', { type: 'binary', caseExact: true }),
]

const GROUP = [
  attribute('displayName', { required: true }),
  complex('members', [exact('value'), reference, ...texts('type', 'display')], {
    multiValued: true,
  }),
]

const ENTERPRISE = [
  ...texts('employeeNumber', 'costCenter', 'organization', 'division', 'department'),
  complex('manager', [exact('value'), reference, attribute('displayName')]),
]

/** RFC 7643 §3.1: attributes of every resource, which no schema lists. */
const COMMON = [
  exact('id', { mutability: 'readOnly', returned: 'always' }),
  exact('externalId'),
  complex(
    'meta',
    [
      ...texts('resourceType', 'location', 'version'),
      attribute('created', { type: 'dateTime' }),
      attribute('lastModified', { type: 'dateTime' }),
    ],
    { mutability: 'readOnly' },
  ),
  exact('schemas', { multiValued: true, mutability: 'readOnly', returned: 'always' }),
]

export const SCHEMAS = [
  { id: URNS.user, name: 'User', attributes: USER },
  { id: URNS.group, name: 'Group', attributes: GROUP },
  { id: URNS.enterprise, name: 'EnterpriseUser', attributes: ENTERPRISE },
]

export type Endpoint = 'Users' | 'Groups'

export interface ResourceType {
  name: string
  endpoint: Endpoint
  schema: string
  /** All attributes of a resource. An extension is a complex attribute that has the URN as its name. */
  attributes: Attribute[]
}

export const TYPES: Record<Endpoint, ResourceType> = {
  Users: {
    name: 'User',
    endpoint: 'Users',
    schema: URNS.user,
    attributes: [...COMMON, ...USER, complex(URNS.enterprise, ENTERPRISE)],
  },
  Groups: {
    name: 'Group',
    endpoint: 'Groups',
    schema: URNS.group,
    attributes: [...COMMON, ...GROUP],
  },
}

const byName = new WeakMap<Attribute[], Map<string, Attribute>>()

/** Attribute names are not case-sensitive (RFC 7643 §2.1). */
export function attributeOf(attributes: Attribute[], name: string): Attribute | undefined {
  let names = byName.get(attributes)
  if (!names) {
    names = new Map(attributes.map((one) => [one.name.toLowerCase(), one]))
    byName.set(attributes, names)
  }
  return names.get(name.toLowerCase())
}
