import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuthClaims, SsoApplication, SsoConfig } from '../../applications/index.ts'
import type { User } from '../../users/index.ts'
import type { RequestedContext } from '../inbound/authn-request.ts'
import { AUTHN_CONTEXT, NAME_ID_FORMAT } from '../names.ts'
import { type Reason, Refusal } from '../refusal.ts'
import { attributesFor } from './attributes.ts'
import { authnContextFor } from './authn-context.ts'
import { nameIdFor } from './name-id.ts'
import { propertyOf } from './user-property.ts'

const outcomeOf = <T>(work: () => T): T | Reason => {
  try {
    return work()
  } catch (error) {
    assert.ok(error instanceof Refusal, String(error))
    return error.reason
  }
}

const user = {
  _id: '0'.repeat(24),
  id: '0'.repeat(24),
  username: 'ada',
  email: 'ada@example.com',
  firstname: 'Ada',
  lastname: 'Lovelace',
  department: '',
  unix_uid: 5001,
  sudo: false,
  manager: null,
  attributes: [
    { name: 'badge', value: '77' },
    { name: 'email', value: 'never this one' },
  ],
  addresses: [
    { id: 'a', type: 'home', locality: 'Ockham' },
    { id: 'b', type: 'work', locality: 'London' },
  ],
  phoneNumbers: [{ id: 'c', type: 'mobile', number: '+44 1' }],
} as unknown as User

const properties: [name: string, values: string[]][] = [
  ['email', ['ada@example.com']],
  ['unix_uid', ['5001']],
  ['sudo', ['false']],
  ['department', []],
  ['manager', []],
  ['nothing', []],
  ['badge', ['77']],
  ['attributes.badge', ['77']],
  ['fullname', ['Ada Lovelace']],
  ['addresses.work.locality', ['London']],
  ['addresses.work.region', []],
  ['phoneNumbers.mobile', ['+44 1']],
  ['addresses', []],
  ['constructor', []],
  ['__proto__.toString', []],
]
for (const [name, values] of properties)
  test(`the property ${name}`, () => assert.deepEqual(propertyOf(user, name), values))

// NameID ----------------------------------------------------------------------------------------------------------

const application = (config: Partial<SsoConfig> = {}, id = '1'.repeat(24)) =>
  ({
    organizationId: '2'.repeat(24),
    id,
    config: {
      spEntityId: 'sp',
      subjectField: 'email',
      nameIdFormat: NAME_ID_FORMAT.unspecified10,
      ...config,
    },
  }) as SsoApplication
const nameOf = (
  policy?: { format?: string; spNameQualifier?: string },
  app = application(),
  session = { index: '_s1' },
) =>
  outcomeOf(() =>
    nameIdFor(
      { user, session, application: app },
      policy && { format: policy.format, spNameQualifier: policy.spNameQualifier },
    ),
  )

test('the NameID is the configured one, unless the request names a format', () => {
  const own = { value: 'ada@example.com', format: NAME_ID_FORMAT.unspecified10 }
  assert.deepEqual(nameOf(), own)
  assert.deepEqual(nameOf({}), own)
  assert.deepEqual(nameOf({ format: NAME_ID_FORMAT.unspecified }), own)
  assert.deepEqual(nameOf({ spNameQualifier: 'sp' }), own)
  const named = application({
    subjectField: 'username',
    nameIdFormat: NAME_ID_FORMAT.persistent,
    keepsNameId: true,
  })
  assert.deepEqual(nameOf({ format: NAME_ID_FORMAT.persistent }, named), {
    value: 'ada',
    format: NAME_ID_FORMAT.persistent,
  })
  assert.deepEqual(nameOf({ format: NAME_ID_FORMAT.email }, named), {
    value: 'ada@example.com',
    format: NAME_ID_FORMAT.email,
  })
})

const nameValue = (...args: Parameters<typeof nameOf>) => {
  const name = nameOf(...args)
  assert.ok(typeof name === 'object')
  return name.value
}

test('a persistent NameID is per application, a transient one per session', () => {
  const other = application({}, '3'.repeat(24))
  const persistent = { format: NAME_ID_FORMAT.persistent }
  assert.equal(nameValue(persistent), nameValue(persistent, application(), { index: '_s2' }))
  assert.notEqual(nameValue(persistent), nameValue(persistent, other))
  const transient = { format: NAME_ID_FORMAT.transient }
  assert.equal(nameValue(transient), nameValue(transient))
  assert.notEqual(nameValue(transient), nameValue(transient, application(), { index: '_s2' }))
  assert.notEqual(nameValue(transient), nameValue(transient, other))
  assert.doesNotMatch(nameValue(transient) + nameValue(persistent), /ada/)
})

test('a configured persistent or transient NameID is opaque, whatever the subject is', () => {
  for (const format of [NAME_ID_FORMAT.persistent, NAME_ID_FORMAT.transient]) {
    const own = application({ nameIdFormat: format })
    assert.equal(nameValue(undefined, own), nameValue({ format }))
    assert.equal(nameValue({ format }, own), nameValue({ format }))
  }
  const byId = application({ subjectField: 'id', nameIdFormat: NAME_ID_FORMAT.persistent })
  assert.equal(nameValue(undefined, byId), user.id)
})

test('an unsupported NameID policy is refused', () => {
  const kerberos = 'urn:oasis:names:tc:SAML:2.0:nameid-format:kerberos'
  assert.equal(nameOf({ format: kerberos }), 'name_id_policy')
  assert.equal(nameOf({ spNameQualifier: 'sp2' }), 'name_id_policy')
  assert.equal(nameOf(undefined, application({ subjectField: 'department' })), 'value_missing')
})

// AuthnContext ----------------------------------------------------------------------------------------------------

const { unspecified, password, protectedPassword, timeSyncToken, refedsMfa } = AUTHN_CONTEXT
const CUSTOM = 'urn:example:strong'
const single = (value: string): AuthClaims => ({
  sendAmrClaim: false,
  authnContextMode: 'single',
  singleAuthnContextValue: value,
  authnContextMappings: [],
})
const mapped: AuthClaims = {
  ...single(''),
  authnContextMode: 'mapping',
  authnContextMappings: [
    { methods: ['pwd', 'otp'], authnContext: CUSTOM },
    { methods: ['pwd'], authnContext: password },
  ],
}
const PWD = ['pwd']
const BOTH = ['pwd', 'otp']
type Case = [
  claims: AuthClaims,
  methods: string[],
  comparison: RequestedContext['comparison'],
  classes: string[],
  expected: string,
]
const cases: Case[] = [
  [single(protectedPassword), PWD, 'exact', [], protectedPassword],
  [single(CUSTOM), PWD, 'exact', [], CUSTOM],
  [mapped, PWD, 'exact', [], password],
  [mapped, BOTH, 'exact', [], CUSTOM],
  [{ ...mapped, authnContextMappings: [] }, PWD, 'exact', [], protectedPassword],
  // What most service providers request, even when the sign-in was stronger.
  [single(refedsMfa), BOTH, 'exact', [protectedPassword], protectedPassword],
  [single(protectedPassword), PWD, 'exact', [refedsMfa, password], password],
  [single(protectedPassword), PWD, 'exact', [refedsMfa], 'authn_context'],
  [single(protectedPassword), BOTH, 'exact', [refedsMfa], refedsMfa],
  [mapped, BOTH, 'exact', [CUSTOM], CUSTOM],
  [mapped, PWD, 'exact', [CUSTOM], 'authn_context'],
  [
    single(protectedPassword),
    PWD,
    'exact',
    ['urn:federation:authentication:windows'],
    'authn_context',
  ],
  [single(protectedPassword), PWD, 'minimum', [password], password],
  [single(protectedPassword), PWD, 'minimum', [timeSyncToken], 'authn_context'],
  [single(protectedPassword), BOTH, 'better', [protectedPassword], AUTHN_CONTEXT.microsoftMfa],
  [single(protectedPassword), PWD, 'better', [protectedPassword], 'authn_context'],
  [single(protectedPassword), BOTH, 'maximum', [password], password],
  [single(protectedPassword), BOTH, 'maximum', [unspecified], unspecified],
]
for (const [claims, methods, comparison, classes, expected] of cases)
  test(`${methods.join('+')} asked for ${comparison} ${classes.join()}: ${expected}`, () => {
    const requested = classes.length === 0 ? undefined : { comparison, classes }
    assert.equal(
      outcomeOf(() => authnContextFor(claims, methods, requested)),
      expected,
    )
  })

// Attributes ------------------------------------------------------------------------------------------------------

const config = {
  constantAttributes: [
    { name: 'region', value: 'eu' },
    { name: 'empty', value: '' },
  ],
  databaseAttributes: [
    { name: 'mail', value: 'email' },
    { name: 'mail', value: 'username' },
    { name: 'dept', value: 'department' },
  ],
  groupsAttribute: 'memberOf',
  authClaims: { ...single(''), sendAmrClaim: true },
} as unknown as SsoConfig

test('there is one attribute per name, and none without a value', () => {
  assert.deepEqual(attributesFor(user, config, { groups: ['a', 'b'], methods: BOTH }), [
    { name: 'region', values: ['eu'] },
    { name: 'mail', values: ['ada@example.com', 'ada'] },
    { name: 'memberOf', values: ['a', 'b'] },
    { name: 'amr', values: ['pwd', 'otp', 'mfa'] },
    {
      name: 'http://schemas.microsoft.com/claims/authnmethodsreferences',
      values: ['http://schemas.microsoft.com/claims/multipleauthn'],
    },
  ])
  const none = attributesFor(
    user,
    { ...config, groupsAttribute: undefined },
    { groups: ['a'], methods: PWD },
  )
  assert.deepEqual(none.slice(2), [{ name: 'amr', values: ['pwd'] }])
})
