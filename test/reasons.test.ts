import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../server/platform/db/sql.ts'
import { newId } from '../server/platform/ids.ts'
import { type Response, startApp } from './harness.ts'
import { addApplication } from './sso/world.ts'

// Reasons of refusals that scripts rely on. Those of longer journeys are asserted where the journey is.

const app = await startApp()
const org = await app.newOrganization()
const msp = await app.newProvider()
const portal = { 'x-provider-id': msp.providerId }
const INSIGHTS = '/insights/directory/v1'

type Case = [reason: string, status: number, request: () => Promise<Response>]

function refused(name: string, cases: Case[]) {
  for (const [reason, status, request] of cases)
    test(`${name}: ${reason}`, async () => {
      const res = await request()
      assert.deepEqual([res.statusCode, res.json().reason], [status, reason], res.body)
    })
}

async function made(res: Promise<Response>): Promise<{ id: string }> {
  const { statusCode, body } = await res
  assert.ok(statusCode < 300, body)
  const { id, _id } = JSON.parse(body)
  return { id: id ?? _id }
}

let serial = 0
const newUser = () => {
  const username = `reason.${++serial}`
  return made(org.post('/api/systemusers', { username, email: `${username}@example.com` }))
}
const user = await newUser()
const bookmark = await made(
  org.post('/api/applications', { name: 'bookmark', ssoUrl: 'https://wiki.example.com/' }),
)
const saml = await addApplication(org)
const role = await made(org.post('/api/v2/roles', { name: 'Reason', scopes: ['users.readonly'] }))
const other = await app.addAdministrator(org.organizationId, 'Read Only')

refused('administrators', [
  ['administrator_not_found', 404, () => org.get(`/api/users/${newId()}`)],
  ['delete_self', 400, () => org.delete(`/api/users/${org.adminId}`)],
  ['suspend_self', 400, () => org.put(`/api/users/${org.adminId}`, { suspended: true })],
  ['key_of_another', 403, () => org.post(`/api/users/${other.id}/apikey`)],
  [
    'expiry_past',
    400,
    () => org.post(`/api/users/${org.adminId}/apikey`, { expireAt: '2020-01-01T00:00:00Z' }),
  ],
  ['unknown_role', 400, () => org.post('/api/users', { email: 'a@example.com', roleName: 'Boss' })],
  ['totp_not_enrolled', 412, () => org.post(`/api/users/resettotp/${other.id}`)],
  [
    'key_not_found',
    404,
    async () => {
      await org.delete(`/api/users/${other.id}/apikey`)
      return org.delete(`/api/users/${other.id}/apikey`)
    },
  ],
])

const account = {
  name: 'Reason',
  roleId: role.id,
  authConfig: { authType: 'API_KEY' },
}
const { objectId: accountId } = (await org.post('/api/v2/service-accounts', account)).json()
  .serviceAccount as { objectId: string }

refused('roles and service accounts', [
  ['unknown_scope', 400, () => org.post('/api/v2/roles', { name: 'New', scopes: ['fly'] })],
  [
    'role_name_taken',
    409,
    () => org.post('/api/v2/roles', { name: 'Reason', scopes: ['users.readonly'] }),
  ],
  [
    'role_built_in',
    403,
    async () => {
      const roles: { id: string; name: string }[] = (await org.get('/api/v2/roles')).json().results
      return org.delete(`/api/v2/roles/${roles.find(({ name }) => name === 'Read Only')!.id}`)
    },
  ],
  [
    'role_in_use',
    409,
    async () => {
      await made(org.post('/api/users', { email: `${newId()}@example.com`, roleName: 'Reason' }))
      return org.delete(`/api/v2/roles/${role.id}`)
    },
  ],
  ['service_account_not_found', 404, () => org.get(`/api/v2/service-accounts/${newId()}`)],
  ['name_taken', 409, () => org.post('/api/v2/service-accounts', account)],
  [
    'auth_config_not_found',
    404,
    () => org.delete(`/api/v2/service-accounts/${accountId}/auth-config/${newId()}`),
  ],
])

refused('providers', [
  [
    'role_required',
    400,
    () =>
      msp.post(`/api/v2/providers/${msp.providerId}/administrators`, { email: 'a@example.com' }),
  ],
  ['provider_id_malformed', 400, () => msp.get('/api/v2/roles', { 'x-provider-id': 'mine' })],
  ['provider_not_found', 404, () => msp.get('/api/v2/roles', { 'x-provider-id': newId() })],
  [
    'link_exists',
    409,
    () =>
      msp.post(
        `/api/v2/administrators/${msp.adminId}/organizationlinks`,
        { organization: msp.organizationIds[0] },
        portal,
      ),
  ],
  [
    'link_not_found',
    404,
    () =>
      msp.delete(
        `/api/v2/administrators/${msp.adminId}/organizationlinks/${newId()}`,
        undefined,
        portal,
      ),
  ],
])

refused('users', [
  [
    'attribute_twice',
    400,
    () =>
      org.put(`/api/systemusers/${user.id}`, {
        attributes: [
          { name: 'badge', value: '1' },
          { name: 'badge', value: '2' },
        ],
      }),
  ],
  ['manager_self', 400, () => org.put(`/api/systemusers/${user.id}`, { manager: user.id })],
  ['user_not_deleted', 404, () => org.post(`/api/systemusers/${user.id}/restore`)],
  [
    'user_is_manager',
    409,
    async () => {
      const report = await newUser()
      await org.put(`/api/systemusers/${report.id}`, { manager: user.id })
      return org.delete(`/api/systemusers/${user.id}`)
    },
  ],
  ['cascade_manager', 400, () => org.delete(`/api/systemusers/${user.id}?cascade_manager=me`)],
  ['bulk_job_not_found', 404, () => org.get(`/api/v2/bulk/users/${newId()}/results`)],
  ['scheduled_state_not_found', 404, () => org.delete(`/api/v2/bulk/userstates/${newId()}`)],
  ['bad_users', 400, () => org.get('/api/v2/bulk/userstates/eventlist/next?users=nobody')],
  ['ssh_key_not_found', 404, () => org.delete(`/api/systemusers/${user.id}/sshkeys/${newId()}`)],
  [
    'bad_regex',
    400,
    () => org.post('/api/search/systemusers', { filter: { username: { $regex: '(' } } }),
  ],
  ['bad_search', 400, () => org.get('/api/systemusers?search={')],
])

refused('groups', [
  [
    'bad_exemption',
    400,
    () =>
      org.post('/api/v2/usergroups', {
        name: 'Exempt',
        memberQueryExemptions: [{ type: 'user', id: newId() }],
      }),
  ],
])

const METADATA = `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://sp.example.com/">
  <SPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
    <AssertionConsumerService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST"
      Location="https://sp.example.com/acs" index="0"/>
  </SPSSODescriptor>
</EntityDescriptor>`
refused('applications', [
  ['unknown_template', 400, () => org.post('/api/applications', { name: 'no-such-template' })],
  ['field_missing', 400, () => org.post('/api/applications', {})],
  ['template_not_found', 404, () => org.get('/api/application-templates/no-such-template')],
  ['no_certificates', 400, () => org.post(`/api/v2/applications/${bookmark.id}/certificates`, {})],
  [
    'no_next_certificate',
    404,
    () => org.post(`/api/v2/applications/${saml.id}/certificates/promote`),
  ],
  [
    'no_previous_certificate',
    404,
    () => org.post(`/api/v2/applications/${saml.id}/certificates/return`),
  ],
  [
    'date_in_the_past',
    400,
    () =>
      org.post(`/api/v2/applications/${saml.id}/certificates`, {
        promoteAt: '2020-01-01T00:00:00Z',
      }),
  ],
  [
    'next_certificate_exists',
    409,
    async () => {
      await made(org.post(`/api/v2/applications/${saml.id}/certificates`, {}))
      return org.post(`/api/v2/applications/${saml.id}/certificates`, {})
    },
  ],
  ['bad_image', 400, () => org.post(`/api/v2/applications/${saml.id}/logo`, {})],
  ['logo_not_found', 404, () => org.get(`/api/v2/logos/${newId()}`)],
  [
    'no_saml',
    400,
    () => org.post(`/api/v2/applications/${bookmark.id}/spmetadata`, { xml: METADATA }),
  ],
  [
    'bad_sp_metadata',
    400,
    () => org.post(`/api/v2/applications/${saml.id}/spmetadata`, { xml: '<x/>' }),
  ],
  [
    'bad_targets',
    400,
    () => org.get(`/api/v2/applications/${saml.id}/associations?targets=policy`),
  ],
  [
    'edge_not_found',
    404,
    () =>
      org.post(`/api/v2/applications/${saml.id}/associations`, {
        op: 'remove',
        type: 'user',
        id: user.id,
      }),
  ],
])

const command = { name: 'uptime', command: 'uptime', commandType: 'linux', user: 'root' }
refused('commands', [
  ['command_not_found', 404, () => org.get(`/api/commands/${newId()}`)],
  ['command_result_not_found', 404, () => org.get(`/api/commandresults/${newId()}`)],
  ['command_id_missing', 400, () => org.post('/api/runCommand', {})],
  ['bad_timeout', 400, () => org.post('/api/commands', { ...command, timeout: '99999' })],
  ['trigger_missing', 400, () => org.post('/api/commands', { ...command, launchType: 'trigger' })],
  [
    'schedule_missing',
    400,
    () => org.post('/api/commands', { ...command, launchType: 'repeated', schedule: '' }),
  ],
  [
    'bad_schedule',
    400,
    () => org.post('/api/commands', { ...command, launchType: 'repeated', schedule: 'often' }),
  ],
  ['trigger_not_found', 404, () => org.post('/api/command/trigger/nobody-listens', {})],
  ['run_not_found', 404, () => org.delete(`/api/v2/commandqueue/${newId()}`)],
])

const range = { service: ['all'], start_time: '2026-01-01T00:00:00Z' }
const interval = (more: object) =>
  org.post(`${INSIGHTS}/events/interval`, { ...range, timezone: '+0000', ...more })
refused('insights', [
  [
    'bad_gzip',
    400,
    () =>
      org.post(`${INSIGHTS}/ingest`, 'plain' as never, {
        'content-encoding': 'gzip',
        'content-type': 'application/x-ndjson',
      }),
  ],
  ['bad_interval_unit', 400, () => interval({ interval_unit: 'x' })],
  ['bad_interval_value', 400, () => interval({ interval_unit: 'd', interval_value: '0' })],
  ['bad_timezone', 400, () => interval({ interval_unit: 'd', timezone: 'Berlin' })],
  [
    'artifact_not_found',
    404,
    () => org.get(`${INSIGHTS}/reports/${newId()}/artifacts/${newId()}/content`),
  ],
  [
    'bad_range',
    400,
    () => org.post(`${INSIGHTS}/saved-searches`, { name: 'x', query: { service: ['all'] } }),
  ],
  [
    'bad_encoding',
    400,
    () => org.post(`${INSIGHTS}/ingest`, {}, { 'content-encoding': 'compress' }),
  ],
])

refused('a failure of the service', [
  [
    'internal',
    500,
    async () => {
      const { id } = await newUser()
      await app.db.tx(org.organizationId, (tx) =>
        tx.run(sql`update users set profile = 'null' where id = ${id}`),
      )
      return org.get(`/api/systemusers/${id}`)
    },
  ],
])

refused('credentials', [
  ['credential_missing', 401, () => app.anonymous.get('/api/v2/roles')],
  [
    'token_invalid',
    401,
    () => app.anonymous.get('/api/v2/roles', { authorization: 'Bearer nothing' }),
  ],
])
