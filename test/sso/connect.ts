import assert from 'node:assert/strict'
import { type ProviderOptions, startServiceProvider } from './service-provider.ts'
import { addApplication, type Org } from './world.ts'

/** Connects a service provider and its application by exchanging metadata only. */
export async function connect(
  idp: string,
  org: Org,
  options: ProviderOptions = {},
  values: object = {},
  more: object = {},
) {
  const sp = await startServiceProvider(options)
  const application = await addApplication(org, values, more)
  const imported = await org.post(
    `/api/v2/applications/${application.id}/spmetadata`,
    sp.metadata,
    { 'content-type': 'application/samlmetadata+xml' },
  )
  assert.equal(imported.statusCode, 200, imported.body)
  const readMetadata = () => sp.read(`${idp}${application.url}/metadata`)
  await readMetadata()
  return { sp, application, readMetadata }
}
