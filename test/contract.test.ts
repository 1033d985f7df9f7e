import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { createClient } from '../client/index.ts'
import { generatedFiles } from '../scripts/generated-files.ts'
import { BUNDLES } from '../server/platform/http/bundles.ts'
import { standardizedOperationId } from '../server/platform/http/openapi.ts'
import { startApp } from './harness.ts'

const app = await startApp()

test('the generated files in the repository are up to date', async () => {
  for (const [path, text] of Object.entries(await generatedFiles())) {
    assert.equal(readFileSync(path, 'utf8'), text, `${path} is stale: run npm run generate`)
  }
})

for (const bundle of BUNDLES) {
  for (const query of ['', '?ids=legacy']) {
    test(`the ${bundle} bundle${query} is valid OpenAPI 3.1 in an independent validator`, async () => {
      const res = await app.anonymous.get(`/openapi/${bundle}.json${query}`)
      assert.equal(res.statusCode, 200)
      const validator = new Validator()
      const { valid, errors } = await validator.validate(res.json())
      assert.ok(valid, JSON.stringify(errors))
      assert.equal(validator.version, '3.1')
    })
  }

  test(`every schema of the ${bundle} bundle is valid JSON Schema 2020-12`, async () => {
    const { paths, components } = (await app.anonymous.get(`/openapi/${bundle}.json`)).json()
    const ajv = new Ajv2020({ strict: false })
    const check = (schema: object, where: string) =>
      assert.ok(ajv.validateSchema(schema), `${where}: ${ajv.errorsText()}`)
    const visit = (part: unknown, where: string): void => {
      if (typeof part !== 'object' || part === null) return
      for (const [name, value] of Object.entries(part)) {
        if (name === 'schema') check(value, where)
        else visit(value, `${where}/${name}`)
      }
    }
    visit(paths, '')
    for (const [name, schema] of Object.entries(components.schemas)) check(schema as object, name)
  })

  test(`the ${bundle} mapping has exactly the five attributes and unique ids`, async () => {
    const entries = (await app.anonymous.get(`/openapi/${bundle}-operation-ids.json`)).json()
    const names = [
      'method',
      'host_root_path',
      'base_path',
      'legacy_operation_id',
      'standardized_operation_id',
    ]
    for (const entry of entries) assert.deepEqual(Object.keys(entry), names)
    const ids = entries.map(
      (entry: { standardized_operation_id: string }) => entry.standardized_operation_id,
    )
    assert.equal(new Set(ids).size, ids.length)
  })
}

test('operation ids follow the published rule', () => {
  const cases: [string, string, string][] = [
    ['GET', '/api/v2/systemgroups', 'getApiV2Systemgroups'],
    ['POST', '/api/runCommand', 'postApiRuncommand'],
    ['GET', '/api/application-templates/{id}', 'getApiApplicationTemplatesById'],
    ['GET', '/api/v2/systems/{system_id}/memberof', 'getApiV2SystemsBySystemIdMemberof'],
    ['GET', '/api/v2/x/{systemObjectId}', 'getApiV2XBySystemobjectid'],
    ['POST', '/insights/directory/v1/events', 'postInsightsDirectoryV1Events'],
  ]
  for (const [method, path, id] of cases) assert.equal(standardizedOperationId(method, path), id)
})

test('legacy ids are served on request and name the same operations', async () => {
  const standardized = (await app.anonymous.get('/openapi/management.json')).json()
  const legacy = (await app.anonymous.get('/openapi/management.json?ids=legacy')).json()
  assert.equal(standardized.paths['/organizations'].get.operationId, 'getApiOrganizations')
  assert.equal(legacy.paths['/organizations'].get.operationId, 'organization_list')
  assert.deepEqual(Object.keys(legacy.paths), Object.keys(standardized.paths))
})

test('every operation of the facts in this area is there under its published id', async () => {
  const entries = (await app.anonymous.get('/openapi/management-operation-ids.json')).json()
  const ids = new Map(
    entries.map((e: Record<string, string>) => [
      e.standardized_operation_id,
      e.legacy_operation_id,
    ]),
  )
  const published = {
    getApiOrganizations: 'organization_list',
    getApiOrganizationsById: 'organizations_get',
    putApiOrganizationsById: 'organization_put',
    postApiSearchOrganizations: 'search_organizations_post',
    getApiUsersReactivateById: 'users_reactivate_get',
    postApiUsersResettotpById: 'admin_totpreset_begin',
    putApiUsersById: 'users_put',
    deleteApiV2AdministratorsByAdministratorIdOrganizationlinksById:
      'administratorOrganizations_removeByAdministrator',
    getApiV2AdministratorsByIdOrganizationlinks: 'administratorOrganizations_listByAdministrator',
    postApiV2AdministratorsByIdOrganizationlinks:
      'administratorOrganizations_createByAdministrator',
    getApiV2OrganizationsByIdAdministratorlinks: 'administratorOrganizations_listByOrganization',
    getApiV2ProvidersByProviderId: 'providers_getProvider',
    getApiV2ProvidersByProviderIdAdministrators: 'providers_listAdministrators',
    postApiV2ProvidersByProviderIdAdministrators: 'providers_postAdmins',
    deleteApiV2ProvidersByProviderIdAdministratorsById: 'providers_removeAdministrator',
    getApiV2ProvidersByProviderIdOrganizations: 'providers_listOrganizations',
    postApiV2ProvidersByProviderIdOrganizations: 'providerOrganizations_createOrg',
    putApiV2ProvidersByProviderIdOrganizationsById: 'providerOrganizations_updateOrg',
    getApiV2ApplicationsByApplicationIdUsers: 'graph_applicationTraverseUser',
    getApiV2CommandsByCommandIdSystems: 'graph_commandTraverseSystem',
    getApiV2Directories: 'directories_list',
    getApiV2Groups: 'groups_list',
    getApiV2Systemgroups: 'groups_system_list',
    getApiV2SystemgroupsByGroupIdMembership: 'graph_systemGroupMembership',
    getApiV2SystemsBySystemIdMemberof: 'graph_systemMemberOf',
    getApiV2UsergroupsByGroupIdGsuites: 'graph_userGroupTraverseGSuite',
    getApiV2UsersByUserIdPolicies: 'getApiV2UsersByUserIdPolicies',
    patchApiV2UsergroupsById: 'groups_user_patch',
    postApiV2ApplicationsByApplicationIdAssociations: 'graph_applicationAssociationsPost',
    postApiV2UsergroupsByGroupIdMembers: 'graph_userGroupMembersPost',
    postApiV2UsergroupsByGroupIdSuggestions: 'groups_user_suggestions_post',
    getApiV2Roles: 'getApiV2Roles',
    deleteApiV2ServiceAccountsByServiceAccountIdAuthConfigByAuthConfigId:
      'deleteApiV2ServiceAccountsByServiceAccountIdAuthConfigByAuthConfigId',
  }
  for (const [id, legacy] of Object.entries(published)) assert.equal(ids.get(id), legacy, id)
})

test('every published operation of Insights exists under its ids', async () => {
  const entries = (await app.anonymous.get('/openapi/insights-operation-ids.json')).json()
  const published = {
    postInsightsDirectoryV1Events: 'directoryInsights_eventsPost',
    postInsightsDirectoryV1EventsCount: 'directoryInsights_eventsCountPost',
    postInsightsDirectoryV1EventsDistinct: 'directoryInsights_eventsDistinctPost',
    postInsightsDirectoryV1EventsInterval: 'directoryInsights_eventsIntervalPost',
    getInsightsDirectoryV1Reports: 'directoryInsights_reportsListGet',
    postInsightsDirectoryV1ReportsByReportType: 'directoryInsights_reportsCreate',
    getInsightsDirectoryV1ReportsByReportIdArtifactsByArtifactIdContent:
      'directoryInsights_reportsArtifactContentGet',
  }
  for (const [id, legacy] of Object.entries(published)) {
    const entry = entries.find(
      (one: Record<string, string>) => one.standardized_operation_id === id,
    )
    assert.equal(entry?.legacy_operation_id, legacy, id)
  }
})

test('the API reference loads nothing from other hosts', async () => {
  const page = await app.anonymous.get('/docs')
  assert.equal(page.statusCode, 200)
  assert.match(
    String(page.headers['content-security-policy']),
    /default-src 'none'; script-src 'self'/,
  )
  assert.doesNotMatch(page.body, /https?:\/\//)
  for (const [, asset] of page.body.matchAll(/(?:src|href)="([^"]+)"/g)) {
    // The icon comes with the pages, which are built only for tests with a browser.
    if (existsSync(join(import.meta.dirname, '../web/public', asset!))) continue
    assert.equal((await app.anonymous.get(asset!)).statusCode, 200, asset)
  }
})

test('the typed client speaks to a real listener', async () => {
  const baseUrl = await app.listen()
  const org = await app.newOrganization()
  const { management } = createClient({ baseUrl, apiKey: org.apiKey })
  const list = await management.GET('/organizations', { params: { query: { limit: 1 } } })
  assert.equal(list.data?.totalCount, 1)
  const made = await management.POST('/v2/roles', {
    body: { name: 'Reader', scopes: ['users.readonly'] },
  })
  assert.equal(made.data?.name, 'Reader')
  const refused = await management.GET('/v2/roles/{role_id}', {
    params: { path: { role_id: 'nope' } },
  })
  assert.equal(refused.response.status, 404)
  assert.equal(refused.error?.message, 'role not found')
})

interface Media {
  schema?: object
  example?: unknown
  examples?: Record<string, { value: unknown }>
}
interface Described {
  summary?: string
  description?: string
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, { content?: Record<string, Media> }>
  parameters: { name: string; in: string; example?: unknown; schema: object }[]
}

for (const bundle of BUNDLES)
  test(`every operation of the ${bundle} bundle has a summary, scopes, errors and examples that fit`, async () => {
    const document = (await app.anonymous.get(`/openapi/${bundle}.json`)).json()
    const ajv = new Ajv2020({ strict: false, allErrors: true })
    addFormats.default(ajv)
    ajv.addSchema({ $id: 'contract', ...document })
    const within = (schema: object) =>
      JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"contract#/'))
    const problems: string[] = []
    const check = (where: string, schema: object, value: unknown) => {
      if (value === undefined) problems.push(`${where}: no example`)
      else if (!ajv.validate(within(schema), value))
        problems.push(`${where}: ${ajv.errorsText()}: ${JSON.stringify(value)}`)
      // Patterns, as an example, tell a reader nothing.
      else if (/\\\\[dws]|\^\[/.test(JSON.stringify(value))) problems.push(`${where}: a pattern`)
      else if (/"text[" ]/.test(JSON.stringify(value))) problems.push(`${where}: a placeholder`)
    }
    for (const [path, operations] of Object.entries(document.paths as object))
      for (const [method, operation] of Object.entries(operations as Record<string, Described>)) {
        const where = `${method} ${path}`
        if (!operation.summary) problems.push(`${where}: no summary`)
        if (!/Scopes: `|Any valid credential|Needs no credential/.test(operation.description ?? ''))
          problems.push(`${where}: no scopes`)
        for (const { name, in: place, schema, example } of operation.parameters)
          if (place !== 'header') check(`${where} ${name}`, schema, example)
        const sent = operation.requestBody?.content['application/json']
        if (sent?.schema) check(`${where} request`, sent.schema, sent.example)
        for (const [status, { content }] of Object.entries(operation.responses)) {
          const answer = content?.['application/json']
          if (!answer?.schema) continue
          if (status.startsWith('2')) check(`${where} ${status}`, answer.schema, answer.example)
          else
            for (const [name, { value }] of Object.entries(answer.examples ?? {}))
              check(`${where} ${status} ${name}`, answer.schema, value)
        }
        if (!operation.responses['4XX']) problems.push(`${where}: no errors`)
      }
    assert.deepEqual(problems, [])
  })
