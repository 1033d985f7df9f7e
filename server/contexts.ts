import { type AdminContext, CredentialCache, linkNewOrganization } from './admins/index.ts'
import { type ApplicationContext, applicationNames, isInactive } from './applications/index.ts'
import { type CommandContext, commandDetails, commandNames } from './commands/index.ts'
import { type ForwardingContext, noteArrivals } from './forwarding/index.ts'
import { type EdgeContext, type GraphContext, namesBy } from './graph/index.ts'
import {
  forgetMember,
  type GroupContext,
  groupNames,
  memberNames,
  membersChanged,
} from './groups/index.ts'
import type { ImportContext } from './imports/index.ts'
import type { InsightsContext } from './insights/index.ts'
import {
  type OidcContext,
  oidcDestination,
  oidcLogout,
  recordDeniedClientSignIn,
} from './oidc/index.ts'
import type { OrganizationContext } from './organizations/index.ts'
import type { Config } from './platform/config.ts'
import type { Db } from './platform/db/index.ts'
import { hook } from './platform/hooks.ts'
import type { SendJob } from './platform/jobs/definition.ts'
import { mailPoster } from './platform/mail.ts'
import { Allowlist } from './platform/outbound/allowlist.ts'
import { Outbound } from './platform/outbound/client.ts'
import type { Sealer } from './platform/secrets.ts'
import { signInRules } from './platform/sign-in-rules.ts'
import {
  accountStatus,
  endSessionsOfChanged,
  forgetRecoveryCodes,
  type PortalContext,
} from './portal/index.ts'
import {
  failingProvisioning,
  isProvisioned,
  type ProvisioningContext,
  touchApplication,
  touchEdge,
  touchGroup,
  touchUsers,
} from './provisioning/index.ts'
import type { ReportContext } from './reports/index.ts'
import { type LogoutContext, signOutAddress, tellApplicationsOfEnd } from './signon/index.ts'
import {
  recordDeniedSignIn,
  type SsoSliceContext,
  samlDestination,
  samlLogout,
} from './sso/index.ts'
import { type SystemContext, systemResource } from './systems/index.ts'
import { findMatches, findUsers, UnixUids, type UserContext, userResource } from './users/index.ts'

/** The dependencies of each slice. */
export interface Contexts {
  admins: AdminContext
  applications: ApplicationContext
  commands: CommandContext
  forwarding: ForwardingContext
  graph: GraphContext
  groups: GroupContext
  imports: ImportContext
  insights: InsightsContext
  logout: LogoutContext
  oidc: OidcContext
  organizations: OrganizationContext
  portal: PortalContext
  provisioning: ProvisioningContext
  reports: ReportContext
  sso: SsoSliceContext
  systems: SystemContext
  users: UserContext
}

interface ContextParts {
  config: Config
  db: Db
  searchDb: Db
  sealer: Sealer
  send: SendJob
  /** Counts a removal that a provider has confirmed. */
  observeRemoval: ProvisioningContext['removed']
}

/** Called once; also subscribes all hooks. */
export function createContexts(parts: ContextParts): Contexts {
  const contexts = makeContexts(parts)
  subscribe(contexts)
  return contexts
}

/** Looks up the display names of records in the slice that owns them. */
const names = namesBy({
  user: (tx, organizationId, ids) => memberNames(tx, organizationId, 'user', ids),
  system: (tx, organizationId, ids) => memberNames(tx, organizationId, 'system', ids),
  user_group: groupNames,
  system_group: groupNames,
  command: commandNames,
  application: applicationNames,
})

const usernames: CommandContext['usernames'] = async (tx, organizationId, ids) =>
  new Map((await findUsers(tx, organizationId, ids)).map(({ id, username }) => [id, username]))

const userIdOf: CommandContext['userIdOf'] = async (tx, organizationId, name) =>
  (await findMatches(tx, organizationId, [], [name]))[0]?.id

function makeContexts(parts: ContextParts): Contexts {
  const { config, db, searchDb, sealer, send, observeRemoval } = parts
  const { publicUrl, limits } = config
  const postMail = mailPoster(sealer, send)
  const outbound = new Outbound({ allowlist: new Allowlist(config.outboundAllow) })
  const edges: EdgeContext = { names, edgeChanged: hook() }
  const users: UserContext = {
    db,
    limits,
    sealer,
    postMail,
    send,
    publicUrl,
    unixUids: new UnixUids(),
    changed: hook(),
  }
  const logout: LogoutContext = {
    db,
    protocols: {
      saml: samlLogout({ db, sealer, send }),
      oidc: oidcLogout({ db, sealer, publicUrl, send }),
    },
  }
  const ofSaml = samlDestination({ db, sealer })
  const ofOidc = oidcDestination({ db, sealer })
  const portal: PortalContext = {
    db,
    sealer,
    send,
    publicUrl,
    rules: signInRules(config, sealer, 'user'),
    users,
    signOutAddress: signOutAddress(logout),
    destinationOf: async (path) => (await ofSaml(path)) ?? (await ofOidc(path)),
    sessionEnded: hook(),
    signInDenied: hook(),
  }
  /** SAML and OpenID Connect need the same. */
  const signOn: SsoSliceContext & OidcContext = {
    db,
    limits,
    sealer,
    publicUrl,
    isProvisioned,
    sessionEnded: portal.sessionEnded,
    send,
    outbound,
    logout,
  }
  return {
    admins: {
      db,
      limits,
      cache: new CredentialCache(),
      sealer,
      postMail,
      send,
      publicUrl,
      rules: signInRules(config, sealer, 'admin'),
    },
    applications: {
      db,
      limits,
      sealer,
      send,
      postMail,
      outbound,
      publicUrl,
      listFields: { 'provisioning.failing': failingProvisioning },
      changed: hook(),
    },
    commands: { db, limits, sealer, send, usernames, userIdOf },
    forwarding: { db, searchDb, limits, sealer, outbound },
    graph: { ...edges, db, limits, commandDetails, accountStatus: accountStatus(db), isInactive },
    groups: {
      ...edges,
      db,
      limits,
      send,
      publicUrl,
      postMail: config.smtpUrl === undefined ? null : postMail,
      resources: { user: userResource, system: systemResource },
      changed: hook(),
    },
    imports: { db, limits, sealer, outbound, send, postMail, publicUrl, users, edges },
    insights: { db, limits, arrived: hook() },
    logout,
    oidc: signOn,
    organizations: { db, limits, created: hook(), removed: hook() },
    portal,
    provisioning: { db, limits, sealer, outbound, postMail, publicUrl, removed: observeRemoval },
    reports: { db, limits, send, names },
    sso: signOn,
    systems: { db, limits, sealer, publicUrl, changed: hook() },
    users,
  }
}

/** Subscribes the hooks. Listeners run in this order, within the transaction of the change. */
function subscribe(contexts: Contexts): void {
  const { admins, applications, graph, groups, insights } = contexts
  const { oidc, organizations, portal, sso, systems, users } = contexts

  insights.arrived.on(noteArrivals)

  organizations.created.on(linkNewOrganization(admins))
  organizations.removed.on(async (tx) => void (await admins.cache.announce(tx)))

  users.changed.on(endSessionsOfChanged(portal))
  users.changed.on(forgetRecoveryCodes)
  users.changed.onAll(async (tx, actor, changes) => {
    const present = changes.filter(({ after }) => after).map(({ userId }) => userId)
    await membersChanged(groups, tx, actor, 'user', present)
    for (const { userId, after } of changes)
      if (!after) await forgetMember(tx, actor.organizationId, userId)
  })
  users.changed.onAll(touchUsers)

  systems.changed.on(async (tx, actor, { systemId, after }) => {
    if (after) await membersChanged(groups, tx, actor, 'system', [systemId])
    else await forgetMember(tx, actor.organizationId, systemId)
  })

  graph.edgeChanged.on(touchEdge)
  groups.changed.on(touchGroup)
  applications.changed.on(touchApplication)

  portal.signInDenied.on(recordDeniedSignIn(sso))
  portal.signInDenied.on(recordDeniedClientSignIn(oidc))

  portal.sessionEnded.on(tellApplicationsOfEnd(contexts.logout))
}
