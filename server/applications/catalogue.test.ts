import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { newId } from '../platform/ids.ts'
import { User } from '../users/schema.ts'
import { readTemplate, TEMPLATES, valuesOf } from './catalogue.ts'
import { readConfig } from './config.ts'
import { SAML_SETTINGS } from './settings.ts'
import { hasPlaceholder, type NamedValue, readSsoConfig } from './sso-config.ts'

const app = await startApp()
const URL = '/api/application-templates'
const saml = [...TEMPLATES.values()].filter(({ sso }) => sso.type === 'saml')
const filled = (value: unknown) => String(value).replaceAll(/\{[^{}]*\}/g, 'example')

test('the catalogue has service providers of all kinds, the custom ones and the bookmark', () => {
  assert.ok(saml.length >= 40, `${saml.length}`)
  assert.ok(TEMPLATES.has('saml2'))
  assert.equal(TEMPLATES.get('bookmark')!.sso.type, 'bookmark')
  assert.equal(TEMPLATES.get('oidc')!.sso.type, 'oidc')
  assert.equal(TEMPLATES.size, globSync('server/applications/templates/*.json').length)
  const ids = new Set([...TEMPLATES.values()].map(({ id }) => id))
  assert.equal(ids.size, TEMPLATES.size)
  for (const id of ids) assert.match(id, /^[0-9a-f]{24}$/)
})

const properties = new Set(Object.keys(User.properties))

for (const template of saml)
  test(`${template.name}: its settings are valid once the placeholders are replaced`, () => {
    const text = (name: string) => template.settings.get(name)?.value
    const isOwn = template.name !== 'saml2'
    if (isOwn) assert.ok(text('spEntityId'), 'an entity id')
    // Validate it like a request.
    const sent = Object.fromEntries(
      ['spEntityId', 'acsUrl', 'sloUrl', 'idpInitUrl'].flatMap((name) =>
        text(name) ? [[name, { value: filled(text(name)) }]] : [],
      ),
    )
    const { values } = readConfig(template, sent)
    const all = valuesOf(template, values)
    const config = readSsoConfig(all)
    assert.equal(config.acsUrls.length, 1)
    assert.match(config.acsUrls[0]!.url, /^https:\/\//)
    assert.ok(config.signAssertion || config.signResponse)
    for (const name of ['overrideNameIdFormat', 'subjectField', 'signatureAlgorithm'] as const) {
      const { options = [], value } = template.settings.get(name)!
      assert.ok(
        options.some((option) => option.value === value),
        `${name} is one of its options`,
      )
    }
    assert.ok(properties.has(config.subjectField), config.subjectField)
    for (const { name, value } of config.databaseAttributes) {
      assert.ok(name !== '' && !hasPlaceholder(name))
      assert.ok(properties.has(value), `${name}: users have no ${value}`)
    }
    const names = config.databaseAttributes.map(({ name }: NamedValue) => name)
    assert.equal(new Set(names).size, names.length)
    for (const { value } of config.constantAttributes) assert.ok(!hasPlaceholder(value))
  })

test('the options of subjectField are user properties', () => {
  for (const { value } of SAML_SETTINGS.subjectField.options)
    assert.ok(properties.has(value), `users have no ${value}`)
})

test('an error in a file is found at startup, and the file is named', () => {
  const good = {
    name: 'crm',
    displayName: 'CRM',
    description: '',
    keywords: [],
    learnMore: '',
    sso: { type: 'saml' },
    config: {},
  }
  const read = (changes: object) =>
    readTemplate(JSON.stringify({ ...good, ...changes }), 'crm.json')
  assert.equal(read({}).settings.size, Object.keys(SAML_SETTINGS).length)
  assert.equal(read({ config: { sloUrl: null } }).settings.has('sloUrl'), false)
  for (const changes of [
    { name: 'other' },
    { name: 'Not A Name' },
    { displayName: '' },
    { sso: { type: 'oidc' } },
    { config: { acsURL: { value: 'x' } } },
    { config: { acsUrl: { vale: 'x' } } },
    { learnMore: 'http://example.com' },
    { surprise: true },
  ])
    assert.throws(() => read(changes), /^Error: Application template crm\.json: /)
  assert.throws(() => readTemplate('{', 'crm.json'), /crm\.json/)
})

test('the catalogue is listed like every other resource', async () => {
  const org = await app.newOrganization()
  const names = async (query: string) => {
    const res = await org.get(`${URL}?${query}`)
    assert.equal(res.statusCode, 200, res.body)
    return res.json().results.map(({ name }: { name: string }) => name)
  }
  const list = (await org.get(URL)).json()
  assert.deepEqual(Object.keys(list), ['totalCount', 'results'])
  assert.equal(list.totalCount, TEMPLATES.size)
  assert.equal(list.results.length, 10)
  assert.deepEqual(await names('limit=1000'), [...TEMPLATES.keys()].sort())
  assert.deepEqual(await names('limit=2&skip=1'), [...TEMPLATES.keys()].sort().slice(1, 3))
  assert.deepEqual(await names('filter=name:$eq:slack'), ['slack'])
  assert.deepEqual(await names('filter=displayName:$eq:AWS&fields=name'), ['aws'])
  assert.deepEqual(await names('filter=sso.type:$ne:saml'), ['bookmark', 'oidc'])
  assert.deepEqual(
    await names('filter[or][0]=name:$eq:zoom&filter[or][1]=name:$eq:box&sort=-name'),
    ['zoom', 'box'],
  )
  const search = encodeURIComponent(JSON.stringify({ searchTerm: 'CHAT', fields: ['keywords'] }))
  assert.ok((await names(`search=${search}`)).includes('slack'))
  assert.deepEqual((await org.get(`${URL}?skip=1000`)).json(), {
    totalCount: TEMPLATES.size,
    results: [],
  })
  assert.equal((await org.get(`${URL}?filter=secret:$eq:1`)).statusCode, 400)
})

test('a template is found by id and by name, and has all that a form needs', async () => {
  const org = await app.newOrganization()
  const { id } = TEMPLATES.get('aws')!
  const record = (await org.get(`${URL}/${id}`)).json()
  assert.deepEqual(record, (await org.get(`${URL}/aws`)).json())
  assert.equal(record._id, id)
  assert.equal(record.name, 'aws')
  const { spEntityId, signAssertion, constantAttributes, databaseAttributes } = record.config
  assert.equal(spEntityId.value, 'urn:amazon:webservices')
  assert.deepEqual(Object.keys(signAssertion).sort(), [
    'label',
    'position',
    'readOnly',
    'required',
    'tooltip',
    'type',
    'value',
    'visible',
  ])
  assert.equal(constantAttributes.mutable, true)
  assert.deepEqual(Object.keys(constantAttributes.value[0]).sort(), [
    'name',
    'readOnly',
    'required',
    'value',
    'visible',
  ])
  assert.equal(typeof databaseAttributes.position, 'number')
  assert.deepEqual(Object.keys(record.config.authClaimConfiguration.sendAmrClaim).sort(), [
    'readOnly',
    'type',
    'value',
  ])
  const fields = await org.get(`${URL}/${id}?fields=displayName&limit=1&filter=any:$eq:1`)
  assert.deepEqual(Object.keys(fields.json()).sort(), ['_id', 'displayName', 'id'])
  assert.equal((await org.get(`${URL}/${newId()}`)).statusCode, 404)
})

test('templates require their scope, and show whether the organization uses them', async () => {
  const [org, other] = [await app.newOrganization(), await app.newOrganization()]
  const made = await org.post('/api/applications', {
    name: 'slack',
    displayLabel: 'Slack',
    displayName: 'Slack',
    ssoUrl: `slack-${newId()}`,
    config: { acsUrl: { value: 'https://example.slack.com/sso/saml' } },
  })
  assert.equal(made.statusCode, 200, made.body)
  assert.equal(made.json().config.spEntityId.value, 'https://slack.com')
  assert.equal(made.json().learnMore, TEMPLATES.get('slack')!.learnMore)
  assert.equal((await org.get(`${URL}/slack`)).json().isConfigured, true)
  assert.equal((await other.get(`${URL}/slack`)).json().isConfigured, false)
  const runner = await app.addAdministrator(org.organizationId, 'Command Runner')
  assert.equal((await runner.get(URL)).statusCode, 403)
  assert.equal((await runner.get(`${URL}/slack`)).statusCode, 403)
  assert.equal((await app.anonymous.get(URL)).statusCode, 401)
})
