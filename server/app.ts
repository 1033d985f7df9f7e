import type { FastifyInstance } from 'fastify'
import {
  type AdminContext,
  administratorRoutes,
  adminJobDefinitions,
  adminJobs,
  CredentialCache,
  createAuthenticate,
  linkNewOrganization,
  oauthRoutes,
  providerAdministratorRoutes,
  roleRoutes,
  sessionRoutes,
} from './admins/index.ts'
import {
  type ApplicationContext,
  applicationJobs,
  applicationNames,
  applicationRoutes,
  applicationV2Routes,
  certificateRoutes,
  isInactive,
  logoRoutes,
  oidcSettingsRoutes,
  promoteCertificateJob,
  promoteOverdueJob,
  purgeApplicationsJob,
  spMetadataRoutes,
  templateRoutes,
  warnOfExpiryJob,
} from './applications/index.ts'
import {
  type CommandContext,
  commandAgentRoutes,
  commandDetails,
  commandJobs,
  commandNames,
  commandQueueRoutes,
  commandResultRoutes,
  commandRoutes,
  runRoutes,
  runScheduledJob,
  tidyCommandsJob,
} from './commands/index.ts'
import {
  dropArrivalsJob,
  type ForwardingContext,
  ForwardingWorker,
  forwarderRoutes,
  forwardingJobs,
} from './forwarding/index.ts'
import { forgetHistoryJob, graphJobs, graphRoutes, namesBy, ReachedMemory } from './graph/index.ts'
import {
  evaluateAllGroupsJob,
  evaluateGroupJob,
  forgetMember,
  type GroupContext,
  groupJobs,
  groupNames,
  groupRoutes,
  mailSuggestionsJob,
  memberChanged,
  memberNames,
  purgeGroupsJob,
} from './groups/index.ts'
import {
  createPartitionsJob,
  dropExpiredJob,
  exportRoutes,
  GeoIpDatabase,
  ingestRoutes,
  insightsJobs,
  insightsRoutes,
  makeDigestsJob,
  observeEvents,
  retentionRoutes,
  savedSearchRoutes,
  streamRoutes,
  useGeoIp,
} from './insights/index.ts'
import { oidcJobs, oidcRoutes, recordKeptOutOfClient, tidyOidcJob } from './oidc/index.ts'
import { organizationRoutes, providerRoutes } from './organizations/index.ts'
import { type Config, loadConfig } from './platform/config.ts'
import { type Db, openDb } from './platform/db.ts'
import { registerHealth } from './platform/health.ts'
import { registerAuthorization } from './platform/http/authorize.ts'
import { registerContract } from './platform/http/contract-routes.ts'
import { collectOperations, type Operation } from './platform/http/openapi.ts'
import { createServer } from './platform/http/server.ts'
import { registerWeb } from './platform/http/web.ts'
import type { JobDefinition, SendJob } from './platform/jobs/definition.ts'
import { openQueue, type Queue } from './platform/jobs/queue.ts'
import { createLog, type Logger } from './platform/log.ts'
import { mailJob, mailPoster, sendMailJob } from './platform/mail.ts'
import { createMetrics, registerMetrics } from './platform/metrics.ts'
import { Allowlist } from './platform/outbound/allowlist.ts'
import { Outbound } from './platform/outbound/client.ts'
import type { Sealer } from './platform/secrets.ts'
import { registerTracing } from './platform/tracing.ts'
import {
  endSessionsOfChanged,
  forgetRecoveryCodes,
  type PortalContext,
  portalJobDefinitions,
  portalJobs,
  portalRoutes,
  userStanding,
} from './portal/index.ts'
import {
  makeReportJob,
  type ReportContext,
  reportJobs,
  reportRoutes,
  tidyReportsJob,
} from './reports/index.ts'
import {
  recordKeptOut,
  samlRoutes,
  signOutAddress,
  ssoJobs,
  ssoManagementRoutes,
  testSpRoutes,
  tidySsoJob,
} from './sso/index.ts'
import {
  agentRoutes,
  connectKeyRoutes,
  createSystemAuthenticate,
  purgeSystemsJob,
  registerSystemContext,
  systemJobs,
  systemResource,
  systemRoutes,
  systemStatusRoutes,
} from './systems/index.ts'
import {
  bulkUserRoutes,
  findUsers,
  scheduledStateRoutes,
  UnixUids,
  type UserContext,
  userAccountRoutes,
  userJobDefinitions,
  userJobs,
  userPasswordRoutes,
  userResource,
  userRoutes,
  userStatusRoutes,
} from './users/index.ts'

// The composition root: the only file that knows every slice.

/** Every job of every slice; each must have a handler below. */
export const jobDefinitions: JobDefinition[] = [
  createPartitionsJob,
  dropExpiredJob,
  ...adminJobDefinitions,
  dropArrivalsJob,
  makeDigestsJob,
  sendMailJob,
  ...userJobDefinitions,
  forgetHistoryJob,
  evaluateAllGroupsJob,
  evaluateGroupJob,
  mailSuggestionsJob,
  purgeGroupsJob,
  purgeSystemsJob,
  runScheduledJob,
  tidyCommandsJob,
  makeReportJob,
  tidyReportsJob,
  ...portalJobDefinitions,
  promoteCertificateJob,
  promoteOverdueJob,
  warnOfExpiryJob,
  purgeApplicationsJob,
  tidySsoJob,
  tidyOidcJob,
] as unknown as JobDefinition[]

export interface App {
  http: FastifyInstance
  queue: Queue
  forwarding: ForwardingWorker
  cache: CredentialCache
  context: AdminContext
  operations: Operation[]
}

export interface AppParts {
  config: Config
  db: Db
  /** Connections of their own for searches: a slow one must not keep others from their work. */
  searchDb: Db
  log: Logger
  sealer: Sealer
  /** For tests: called on the bare server before any route is registered. */
  prepare?: (http: FastifyInstance) => void
}

interface HttpParts {
  config: Config
  db: Db
  searchDb: Db
  log: Logger
  context: AdminContext
  forwarding: ForwardingContext
  users: UserContext
  portal: PortalContext
  groups: GroupContext
  applications: ApplicationContext
  commands: CommandContext
  reports: ReportContext
  queueDepths: Queue['depths']
  prepare?: ((http: FastifyInstance) => void) | undefined
}

async function registerApi(
  http: FastifyInstance,
  {
    config,
    db,
    searchDb,
    forwarding,
    users,
    portal,
    groups,
    applications,
    commands,
    reports,
  }: HttpParts,
  context: AdminContext,
  operations: Operation[],
) {
  await http.register(insightsRoutes, { db: searchDb })
  await http.register(savedSearchRoutes, { prefix: '/insights/directory/v1', db })
  await http.register(ingestRoutes, { prefix: '/insights/directory/v1', db })
  await http.register(retentionRoutes, { prefix: '/insights/directory/v1', db })
  const authenticate = createAuthenticate(db, context.cache, { touch: false })
  await http.register(exportRoutes, {
    prefix: '/insights/directory/v1',
    db: searchDb,
    authenticate,
  })
  await http.register(streamRoutes, { prefix: '/insights/directory/v1', db, authenticate })
  await http.register(forwarderRoutes, { prefix: '/insights/directory/v1', context: forwarding })
  await http.register(reportRoutes, {
    prefix: '/insights/directory/v1',
    context: reports,
    authenticate,
  })
  await http.register(organizationRoutes, { prefix: '/api', db })
  const onOrganizationCreated = linkNewOrganization(context)
  await http.register(providerRoutes, { prefix: '/api/v2', db, onOrganizationCreated })
  await http.register(administratorRoutes, { prefix: '/api', context })
  await http.register(providerAdministratorRoutes, { prefix: '/api/v2', context })
  await http.register(roleRoutes, { prefix: '/api/v2', context })
  await http.register(systemRoutes, { prefix: '/api', context: commands })
  await http.register(systemStatusRoutes, { prefix: '/api/v2', context: commands })
  await http.register(connectKeyRoutes, { prefix: '/api/v2', context: commands })
  await http.register(agentRoutes, { context: commands })
  await http.register(commandRoutes, { prefix: '/api', context: commands })
  await http.register(commandResultRoutes, { prefix: '/api', context: commands })
  await http.register(runRoutes, { prefix: '/api', context: commands })
  await http.register(commandQueueRoutes, { prefix: '/api/v2', context: commands })
  await http.register(commandAgentRoutes, { context: commands })
  const graph = {
    db,
    names: groups.names,
    commandDetails,
    userStanding: userStanding(db),
    isInactive,
    remembered: new ReachedMemory(),
  }
  await http.register(graphRoutes, { prefix: '/api/v2', context: graph })
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
  await http.register(userRoutes, { prefix: '/api', context: users })
  await http.register(userAccountRoutes, { prefix: '/api', context: users })
  await http.register(userPasswordRoutes, { context: users })
  await http.register(userStatusRoutes, { prefix: '/api/v2', context: users })
  await http.register(bulkUserRoutes, { prefix: '/api/v2', context: users })
  await http.register(scheduledStateRoutes, { prefix: '/api/v2', context: users })
  await http.register(portalRoutes, { context: portal })
  await http.register(samlRoutes, { context: portal })
  await http.register(oidcRoutes, { context: portal })
  await http.register(ssoManagementRoutes, { prefix: '/api', context: portal })
  if (config.development) await http.register(testSpRoutes, { context: portal })
  await http.register(oauthRoutes, { context })
  await http.register(sessionRoutes, { context })
  registerContract(http, operations)
  await registerWeb(http)
}

async function connectGeoIp(http: FastifyInstance, config: Config, log: Logger): Promise<void> {
  const path = config.geoipDatabase
  const database = path === undefined ? null : await GeoIpDatabase.open(path, log)
  useGeoIp(database)
  http.addHook('onClose', async () => database?.close())
}

async function createHttp(parts: HttpParts) {
  const { config, db, log, context, queueDepths, prepare } = parts
  const metrics = createMetrics()
  observeEvents((service) => metrics.eventsWritten.inc({ service }))
  const http = await createServer(config, log)
  await connectGeoIp(http, config, log)
  prepare?.(http)
  registerTracing(http)
  registerAuthorization(http, createSystemAuthenticate(db, createAuthenticate(db, context.cache)))
  registerSystemContext(http, db)
  const operations = collectOperations(http)
  registerMetrics(http, metrics, db, queueDepths, config.metricsToken)
  registerHealth(http, db)

  // A worker answers for its health only.
  if (config.role !== 'worker') await registerApi(http, parts, context, operations)
  await http.ready()
  return { http, operations }
}

/** Groups know their members by the records of the slices below, and names for the graph. */
const groupContext = (
  parts: Pick<GroupContext, 'db' | 'send' | 'postMail' | 'publicUrl'>,
): GroupContext => ({
  ...parts,
  names: namesBy({
    user: (tx, organizationId, ids) => memberNames(tx, organizationId, 'user', ids),
    system: (tx, organizationId, ids) => memberNames(tx, organizationId, 'system', ids),
    user_group: groupNames,
    system_group: groupNames,
    command: commandNames,
    application: applicationNames,
  }),
  resources: { user: userResource, system: systemResource },
})

export async function createApp(parts: AppParts): Promise<App> {
  const { config, db, searchDb, log, sealer, prepare } = parts
  // Jobs may send jobs, so this is there before the queue.
  const send: SendJob = (tx, definition, payload, options) =>
    queue.send(tx, definition, payload, options)
  const postMail = mailPoster(sealer, send)
  const { publicUrl } = config
  const cache = new CredentialCache()
  const context: AdminContext = { db, cache, sealer, postMail, send, publicUrl }
  const users: UserContext = {
    db,
    sealer,
    postMail,
    send,
    publicUrl,
    unixUids: new UnixUids(),
    listeners: [],
  }
  const portal: PortalContext = {
    ...users,
    signOutAddress,
    keptOut: [recordKeptOut, recordKeptOutOfClient],
  }
  users.listeners.push(endSessionsOfChanged, forgetRecoveryCodes)
  const groups = groupContext({
    db,
    send,
    publicUrl,
    postMail: config.smtpUrl === undefined ? null : postMail,
  })
  const outbound = new Outbound({ allowlist: new Allowlist(config.outboundAllow) })
  const applications: ApplicationContext = { db, sealer, send, postMail, outbound, publicUrl }
  users.listeners.push(async (tx, actor, { userId, after }) => {
    if (after) await memberChanged(groups, tx, actor, 'user', userId)
    else await forgetMember(tx, actor.organizationId, userId)
  })
  const commands: CommandContext = {
    db,
    sealer,
    publicUrl,
    send,
    onChanged: async (tx, caller, before, after) => {
      if (after) await memberChanged(groups, tx, caller, 'system', after.id)
      else if (before) await forgetMember(tx, caller.organizationId, before.id)
    },
    usernames: async (tx, organizationId, ids) =>
      new Map((await findUsers(tx, organizationId, ids)).map(({ id, username }) => [id, username])),
  }
  const reports: ReportContext = { db, send, names: groups.names }
  const jobs = [
    ...insightsJobs(db),
    ...adminJobs(context),
    ...systemJobs(db),
    ...commandJobs(commands),
    ...reportJobs(reports),
    ...forwardingJobs(db),
    ...userJobs(users),
    ...portalJobs(portal),
    ...ssoJobs(db),
    ...oidcJobs(db),
    ...groupJobs(groups),
    ...applicationJobs(applications),
    ...graphJobs(db),
    mailJob(db, sealer, config, log),
  ]
  const queue = await openQueue(db, log, jobDefinitions, jobs)
  const forwarding = { db, searchDb, sealer, outbound }
  const { http, operations } = await createHttp({
    config,
    db,
    searchDb,
    log,
    context,
    forwarding,
    users,
    portal,
    groups,
    applications,
    commands,
    reports,
    queueDepths: queue.depths,
    prepare,
  })
  return {
    http,
    queue,
    forwarding: new ForwardingWorker(forwarding, log),
    cache,
    context,
    operations,
  }
}

/** The routes alone, for the generated contract: nothing connects to a database until it is asked. */
export async function describeRoutes(): Promise<Operation[]> {
  const db = openDb({})
  const context = { db, cache: new CredentialCache(), publicUrl: '' } as AdminContext
  const log = createLog('silent')
  const { operations } = await createHttp({
    config: loadConfig({}),
    db,
    searchDb: db,
    log,
    context,
    forwarding: {} as ForwardingContext,
    users: {} as UserContext,
    portal: { publicUrl: '' } as PortalContext,
    groups: {} as GroupContext,
    applications: { publicUrl: '' } as ApplicationContext,
    commands: {} as CommandContext,
    reports: {} as ReportContext,
    queueDepths: async () => [],
  })
  return operations
}
