import { seedApplication } from '../server/applications/index.ts'
import { changeEdge, type NodeRef } from '../server/graph/index.ts'
import type { Tx } from '../server/platform/db/index.ts'
import type { Application } from './people.ts'
import { demoAdministrator, namedEnds } from './systems.ts'
import { actAs } from './tenancy.ts'
import type { Tenant, World } from './world.ts'

const COLORS = ['#006CAC', '#57C49F', '#7C6ADA', '#FF6C03', '#3E8696', '#D5779D'] as const

/** All of them use the test service provider, which shows the assertion. */
const bodyOf = ({ name, displayLabel, ssoUrl }: Application, baseUrl: string, nth: number) => ({
  name,
  displayLabel,
  displayName: displayLabel,
  description: 'Shows the assertion that it gets',
  ssoUrl,
  active: true,
  color: COLORS[nth % COLORS.length]!,
  config: {
    spEntityId: { value: `${baseUrl}/saml2/test-sp` },
    acsUrl: { value: `${baseUrl}/saml2/test-sp/acs` },
    databaseAttributes: {
      value: ['email', 'firstname', 'lastname', 'department'].map((property) => ({
        name: property,
        value: property,
      })),
    },
    includeGroups: { value: true },
    groupsAttributeName: { value: 'groups' },
  },
})

/** Every department uses every application, as in the events; the head of the organization is also bound directly. */
async function bind(tx: Tx, tenant: Tenant, { id, displayLabel }: Application): Promise<void> {
  const head = tenant.staff[0]!
  const holders: [NodeRef, string][] = [
    ...tenant.groups.map((group): [NodeRef, string] => [
      { type: 'user_group', id: group.id },
      group.name,
    ]),
    [{ type: 'user', id: head.id }, head.username],
  ]
  for (const [source, name] of holders) {
    const context = namedEnds([source.id, name], [id, displayLabel])
    const target = { type: 'application', id } as const
    await changeEdge(context, tx, demoAdministrator(tenant), { source, target, op: 'add' })
  }
}

/** The applications of each organization, bound to its departments. */
export async function seedApplications(
  tx: Tx,
  { tenants, sealer, credentials }: World,
): Promise<string> {
  const publicUrl = credentials.insightsUrl
  for (const tenant of tenants) {
    await actAs(tx, tenant.id)
    for (const application of tenant.apps) {
      const nth = credentials.applications.length
      const body = bodyOf(application, publicUrl, nth)
      await seedApplication({ sealer, publicUrl }, tx, tenant, application.id, body)
      await bind(tx, tenant, application)
      const { id, displayLabel: name, slug } = application
      credentials.applications.push({ id, organizationId: tenant.id, name, slug })
    }
  }
  return `Applications: ${credentials.applications.length}`
}
