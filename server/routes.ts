import type { FastifyInstance } from 'fastify'
import {
  administratorRoutes,
  createAuthenticate,
  oauthRoutes,
  providerAdministratorRoutes,
  roleRoutes,
  sessionRoutes,
} from './admins/index.ts'
import {
  applicationRoutes,
  applicationV2Routes,
  certificateRoutes,
  logoRoutes,
  oidcSettingsRoutes,
  spMetadataRoutes,
  templateRoutes,
} from './applications/index.ts'
import {
  commandAgentRoutes,
  commandQueueRoutes,
  commandResultRoutes,
  commandRoutes,
  runRoutes,
} from './commands/index.ts'
import type { Contexts } from './contexts.ts'
import { forwarderRoutes } from './forwarding/index.ts'
import { bindingRoutes, graphRoutes } from './graph/index.ts'
import { groupRoutes } from './groups/index.ts'
import { importFileRoutes, importJobRoutes, importRoutes, workdayRoutes } from './imports/index.ts'
import {
  exportRoutes,
  ingestRoutes,
  insightsRoutes,
  retentionRoutes,
  savedSearchRoutes,
  streamRoutes,
} from './insights/index.ts'
import { oidcRoutes } from './oidc/index.ts'
import { organizationRoutes, providerRoutes } from './organizations/index.ts'
import { overviewRoutes } from './overview/index.ts'
import type { Config } from './platform/config.ts'
import type { Db } from './platform/db/index.ts'
import { registerContract } from './platform/http/contract-routes.ts'
import type { Operation } from './platform/http/openapi.ts'
import { registerWeb } from './platform/http/web.ts'
import { portalRoutes, userSessionRoutes } from './portal/index.ts'
import { provisioningRoutes } from './provisioning/index.ts'
import { reportRoutes } from './reports/index.ts'
import { assetRoutes, logoutRoutes } from './signon/index.ts'
import { samlRoutes, ssoManagementRoutes } from './sso/index.ts'
import { agentRoutes, connectKeyRoutes, systemRoutes, systemStatusRoutes } from './systems/index.ts'
import {
  bulkUserRoutes,
  scheduledStateRoutes,
  userAccountRoutes,
  userPasswordRoutes,
  userRoutes,
  userStatusRoutes,
} from './users/index.ts'

interface RouteParts {
  config: Config
  db: Db
  /** A separate pool for searches, so that slow ones do not block other requests. */
  searchDb: Db
  contexts: Contexts
  /** All registered routes, for the API reference. */
  operations: Operation[]
}

const ingestLimits = ({ ingestBodies, ingestSeconds, ingestIdleSeconds }: Config) => ({
  shares: ingestBodies,
  seconds: ingestSeconds,
  idleSeconds: ingestIdleSeconds,
})

/** Registers the routes of all slices, and the web pages. */
export async function registerRoutes(
  http: FastifyInstance,
  { config, db, searchDb, contexts, operations }: RouteParts,
): Promise<void> {
  const { admins, applications, commands, forwarding, graph, groups, imports, insights } = contexts
  const { oidc, organizations, portal, provisioning, reports, sso, systems, users } = contexts
  const { searchSeconds, limits } = config
  await http.register(insightsRoutes, { db: searchDb, limits, searchSeconds })
  await http.register(savedSearchRoutes, { prefix: '/insights/directory/v1', context: insights })
  await http.register(ingestRoutes, {
    prefix: '/insights/directory/v1',
    context: insights,
    ...ingestLimits(config),
  })
  await http.register(retentionRoutes, {
    prefix: '/insights/directory/v1',
    db,
    minDays: config.minRetentionDays,
  })
  const authenticate = createAuthenticate(admins, { touch: false })
  await http.register(exportRoutes, {
    prefix: '/insights/directory/v1',
    db: searchDb,
    limits,
    authenticate,
    shares: config.exports,
    searchSeconds,
  })
  await http.register(streamRoutes, {
    prefix: '/insights/directory/v1',
    db,
    limits,
    authenticate,
    shares: config.streams,
  })
  await http.register(forwarderRoutes, { prefix: '/insights/directory/v1', context: forwarding })
  await http.register(reportRoutes, {
    prefix: '/insights/directory/v1',
    context: reports,
    authenticate,
    shares: config.downloads,
  })
  await http.register(organizationRoutes, { prefix: '/api', context: organizations })
  await http.register(providerRoutes, { prefix: '/api/v2', context: organizations })
  await http.register(administratorRoutes, { prefix: '/api', context: admins })
  await http.register(providerAdministratorRoutes, { prefix: '/api/v2', context: admins })
  await http.register(roleRoutes, { prefix: '/api/v2', context: admins })
  await http.register(systemRoutes, { prefix: '/api', context: systems })
  await http.register(systemStatusRoutes, { prefix: '/api/v2', context: systems })
  await http.register(connectKeyRoutes, { prefix: '/api/v2', context: systems })
  await http.register(agentRoutes, { context: systems })
  await http.register(commandRoutes, { prefix: '/api', context: commands })
  await http.register(commandResultRoutes, { prefix: '/api', context: commands })
  await http.register(runRoutes, { prefix: '/api', context: commands })
  await http.register(commandQueueRoutes, { prefix: '/api/v2', context: commands })
  await http.register(commandAgentRoutes, { context: commands })
  await http.register(graphRoutes, { prefix: '/api/v2', context: graph })
  await http.register(bindingRoutes, { prefix: '/api', context: graph })
  await http.register(groupRoutes, { prefix: '/api/v2', context: groups })
  await http.register(templateRoutes, { prefix: '/api', context: applications })
  await http.register(applicationRoutes, { prefix: '/api', context: applications })
  for (const routes of [
    applicationV2Routes,
    oidcSettingsRoutes,
    certificateRoutes,
    spMetadataRoutes,
    logoRoutes,
  ])
    await http.register(routes, { prefix: '/api/v2', context: applications })
  await http.register(provisioningRoutes, { prefix: '/api/v2', context: provisioning })
  for (const routes of [importRoutes, importFileRoutes, importJobRoutes])
    await http.register(routes, { prefix: '/api/v2', context: imports })
  await http.register(userRoutes, { prefix: '/api', context: users })
  await http.register(userAccountRoutes, { prefix: '/api', context: users })
  await http.register(userPasswordRoutes, { context: users })
  await http.register(userStatusRoutes, { prefix: '/api/v2', context: users })
  await http.register(bulkUserRoutes, { prefix: '/api/v2', context: users })
  await http.register(scheduledStateRoutes, { prefix: '/api/v2', context: users })
  await http.register(overviewRoutes, { prefix: '/api/v2', db, searchDb, limits, searchSeconds })
  await http.register(workdayRoutes, { prefix: '/api/v2', context: imports })
  await http.register(portalRoutes, { context: portal })
  await http.register(userSessionRoutes, { prefix: '/api/v2', context: portal })
  await http.register(assetRoutes)
  await http.register(logoutRoutes, { context: contexts.logout })
  await http.register(samlRoutes, { context: sso })
  await http.register(oidcRoutes, { context: oidc })
  await http.register(ssoManagementRoutes, { prefix: '/api', context: sso })
  await http.register(oauthRoutes, { context: admins })
  await http.register(sessionRoutes, { context: admins })
  registerContract(http, operations, config)
  await registerWeb(http)
}
