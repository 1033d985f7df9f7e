import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/harness.ts'
import { ok } from '../../test/provisioning/world.ts'
import { startLab } from '../../test/scim-lab.ts'
import { addApplication } from '../../test/sso/world.ts'
import { TEMPLATES } from '../applications/catalogue.ts'
import { compileMapping } from '../platform/mapping/index.ts'
import { mappingOf } from './default-mapping.ts'

const app = await startApp()
const lab = await startLab()

const person = (name: string) => ({
  username: name,
  email: `${name}@example.com`,
  firstname: 'Ada',
  lastname: 'Lovelace',
  displayname: 'Ada Lovelace',
  jobTitle: 'Analyst',
  department: 'Engines',
  company: 'Example',
  costCenter: 'R-42',
  employeeIdentifier: '1815',
  phoneNumbers: [
    { type: 'work', number: '+44 20 7946 0000' },
    { type: 'mobile', number: '+44 7700 900000' },
  ],
  attributes: [{ name: 'salesforceProfile', value: '00e000000000001' }],
  managerAccount: { remoteId: '42' },
})

const offering = [...TEMPLATES.values()].filter(({ provisioning }) => provisioning)

for (const { name, provisioning } of offering)
  test(`${name}: its mapping makes a user that a provider accepts`, async () => {
    const { result, problems } = compileMapping(mappingOf(provisioning)).evaluate(person(name), {
      groups: [],
    })
    assert.deepEqual(problems, [])
    const extensions = Object.keys(result).filter((member) => member.startsWith('urn:'))
    const schemas = ['urn:ietf:params:scim:schemas:core:2.0:User', ...extensions]
    const { status, text } = await lab.call('POST', '/Users', { schemas, ...result })
    assert.equal(status, 201, text)
  })

test('the changes of a template replace, remove and add rules of the default mapping', () => {
  const mapping = mappingOf({
    mapping: {
      userName: { value: { source: 'email' } },
      phoneNumbers: null,
      nickName: { value: { source: 'username' } },
    },
  })
  const targets = mapping.map(({ target }) => target)
  assert.deepEqual(mapping[0], { target: 'userName', value: { source: 'email' }, required: true })
  assert.deepEqual(
    targets.filter((target) => target.startsWith('phone')),
    [],
  )
  assert.equal(targets.at(-1), 'nickName')
  assert.equal(mappingOf({}).length, mapping.length + 1)
})

test('a connection has the mapping of its template unless it brings one', async () => {
  const org = await app.newOrganization()
  const { id } = await addApplication(org, {}, { name: 'aws-sso' })
  const path = `/api/v2/applications/${id}/provisioning`
  const defaults = ok(await org.get(`${path}/defaults`)).json()
  assert.equal(defaults.baseUrl, 'https://scim.{region}.amazonaws.com/{id}/scim/v2')
  assert.deepEqual([defaults.auth, defaults.groups], ['bearer', true])
  app.secrets.add(lab.token)
  const body = { baseUrl: lab.url, auth: { type: 'bearer', token: lab.token } }
  const { mapping } = ok(await org.put(path, body)).json()
  assert.deepEqual(mapping, defaults.mapping)
  assert.deepEqual(mapping[0].value, { source: 'email' })
  const own = [{ target: 'userName', value: { source: 'username' } }]
  assert.deepEqual(ok(await org.put(path, { ...body, mapping: own })).json().mapping, own)
})

test('the catalogue says which products take groups', async () => {
  const org = await app.newOrganization()
  const provisionOf = async (name: string) =>
    ok(await org.get(`/api/application-templates/${name}`)).json().provision
  const taking = { beta: false, groups_supported: true, type: 'scim' }
  assert.deepEqual(await provisionOf('slack'), taking)
  assert.deepEqual(await provisionOf('github-enterprise-cloud'), {
    ...taking,
    groups_supported: false,
  })
  assert.equal(await provisionOf('jenkins'), undefined)
})
