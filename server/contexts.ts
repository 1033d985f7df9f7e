import { type AdminContext, CredentialCache, linkNewOrganization } from './admins/index.ts'
import { type ApplicationContext, applicationNames, isInactive } from './applications/index.ts'
import { type CommandContext, commandDetails, commandNames } from './commands/index.ts'
import type { ForwardingContext } from './forwarding/index.ts'
import { type GraphContext, namesBy } from './graph/index.ts'
import {
  forgetMember,
  type GroupContext,
  groupNames,
  memberChanged,
  memberNames,
} from './groups/index.ts'
import { recordKeptOutOfClient } from './oidc/index.ts'
import type { OrganizationContext } from './organizations/index.ts'
import type { Config } from './platform/config.ts'
import type { Db } from './platform/db.ts'
import { hook } from './platform/hooks.ts'
import type { SendJob } from './platform/jobs/definition.ts'
import { mailPoster } from './platform/mail.ts'
import { Allowlist } from './platform/outbound/allowlist.ts'
import { Outbound } from './platform/outbound/client.ts'
import type { Sealer } from './platform/secrets.ts'
import { signInRules } from './platform/sign-in-rules.ts'
import {
  endSessionsOfChanged,
  forgetRecoveryCodes,
  type PortalContext,
  userStanding,
} from './portal/index.ts'
import type { ReportContext } from './reports/index.ts'
import { recordKeptOut, signOutAddress } from './sso/index.ts'
import { type SystemContext, systemResource } from './systems/index.ts'
import { findUsers, UnixUids, type UserContext, userResource } from './users/index.ts'

/** What each slice works with. */
export interface Contexts {
  admins: AdminContext
  applications: ApplicationContext
  commands: CommandContext
  forwarding: ForwardingContext
  graph: GraphContext
  groups: GroupContext
  organizations: OrganizationContext
  portal: PortalContext
  reports: ReportContext
  systems: SystemContext
  users: UserContext
}

interface ContextParts {
  config: Config
  db: Db
  searchDb: Db
  sealer: Sealer
  send: SendJob
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

/** Made once, with what lower slices are to tell higher ones. */
export function createContexts({ config, db, searchDb, sealer, send }: ContextParts): Contexts {
  const postMail = mailPoster(sealer, send)
  const { publicUrl } = config
  const outbound = new Outbound({ allowlist: new Allowlist(config.outboundAllow) })
  const admins: AdminContext = {
    db,
    cache: new CredentialCache(),
    sealer,
    postMail,
    send,
    publicUrl,
    rules: signInRules(config, sealer, 'admin'),
  }
  const users: UserContext = {
    db,
    sealer,
    postMail,
    send,
    publicUrl,
    unixUids: new UnixUids(),
    changed: hook(),
  }
  const portal: PortalContext = {
    ...users,
    rules: signInRules(config, sealer, 'user'),
    signOutAddress,
    keptOut: [recordKeptOut, recordKeptOutOfClient],
  }
  const groups = groupContext({
    db,
    send,
    publicUrl,
    postMail: config.smtpUrl === undefined ? null : postMail,
  })
  const organizations: OrganizationContext = { db, created: hook() }
  const systems: SystemContext = { db, sealer, publicUrl, changed: hook() }
  const commands: CommandContext = {
    db,
    sealer,
    send,
    usernames: async (tx, organizationId, ids) =>
      new Map((await findUsers(tx, organizationId, ids)).map(({ id, username }) => [id, username])),
  }

  // Who hears what, in this order, within the transaction of the change.
  organizations.created.on(linkNewOrganization(admins))
  users.changed.on(endSessionsOfChanged)
  users.changed.on(forgetRecoveryCodes)
  users.changed.on(async (tx, actor, { userId, after }) => {
    if (after) await memberChanged(groups, tx, actor, 'user', userId)
    else await forgetMember(tx, actor.organizationId, userId)
  })
  systems.changed.on(async (tx, actor, { systemId, after }) => {
    if (after) await memberChanged(groups, tx, actor, 'system', systemId)
    else await forgetMember(tx, actor.organizationId, systemId)
  })

  return {
    admins,
    applications: { db, sealer, send, postMail, outbound, publicUrl },
    commands,
    forwarding: { db, searchDb, sealer, outbound },
    graph: {
      db,
      names: groups.names,
      commandDetails,
      userStanding: userStanding(db),
      isInactive,
    },
    groups,
    organizations,
    portal,
    reports: { db, send, names: groups.names },
    systems,
    users,
  }
}
