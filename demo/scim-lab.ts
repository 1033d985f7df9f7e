import type { FastifyPluginAsync } from 'fastify'
import { mountScimLab } from '../lab/scim/serve.ts'
import { findApplication } from '../server/applications/index.ts'
import { systemCaller } from '../server/platform/caller.ts'
import { type ProvisioningContext, seedProvisioning } from '../server/provisioning/index.ts'
import { peopleRoutes } from './people-api.ts'
import { describeStandalone } from './world.ts'

/** Fixed, since the connection outlives the provider. It opens nothing but users that the demo made up. */
const TOKEN = 'demo'

/** A SCIM provider in memory, to which an application of the demo writes the accounts of its users. */
export async function createDemoLab() {
  const lab = await mountScimLab({ token: TOKEN })
  const routes: FastifyPluginAsync = async (app) => {
    await app.register(peopleRoutes)
    await app.register(lab.routes)
  }
  return {
    routes,
    store: lab.store,
    /** After each start, since the provider is empty then. `page` is its address as this process reaches it. */
    async connect(context: ProvisioningContext, page: string): Promise<void> {
      const baseUrl = lab.listensAt(page)
      const { id: organizationId, apps } = describeStandalone()
      const { id } = apps[0]!
      const tenant = context.db.tenant(organizationId)
      if (!(await findApplication(tenant, organizationId, id))) return
      await seedProvisioning(context, systemCaller(organizationId, 'demo'), id, {
        baseUrl,
        auth: { type: 'bearer', token: TOKEN },
        groups: { push: true },
      })
    },
  }
}
