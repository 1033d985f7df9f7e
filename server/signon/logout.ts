import type { Tx } from '../platform/db/index.ts'
import type { Listener } from '../platform/hooks.ts'
import type { UserSession } from '../portal/index.ts'
import type { LogoutContext, LogoutState, Origin, Party, PartyReference } from './logout-context.ts'
import { findLogout, insertLogout, lockLogout, saveLogout } from './logout-store.ts'
import { type Outcome, redirectTo } from './outcome.ts'
import { newToken, readToken, type Token } from './token.ts'

// The session here ends first. Then a page of ours tells all applications at the same time, so that one that does not
// respond keeps none of the others signed in.

/** Long enough to sign out by hand where it failed. */
const LOGOUT_SECONDS = 15 * 60

export const logoutPath = ({ text }: Pick<Token, 'text'>): string => `/logout/${text}`

const referenceTo = ({ organizationId, hash }: Token, at: number): PartyReference => ({
  organizationId,
  logout: hash.toString('hex'),
  at,
})

async function partiesOf(
  { protocols }: LogoutContext,
  tx: Tx,
  session: UserSession,
): Promise<Party[]> {
  const parties: Party[] = []
  for (const protocol of Object.values(protocols))
    parties.push(...(await protocol.parties(tx, session)))
  return parties
}

async function start(
  { protocols }: LogoutContext,
  tx: Tx,
  organizationId: string,
  parties: Party[],
  origin?: Origin,
): Promise<Token | undefined> {
  if (parties.length === 0) return undefined
  const token = newToken(organizationId)
  const state: LogoutState = { parties, ...(origin && { origin }) }
  await insertLogout(tx, organizationId, { hash: token.hash, state, seconds: LOGOUT_SECONDS })
  for (const [at, party] of parties.entries())
    if (party.channel === 'back')
      await protocols[party.protocol].tellLater(tx, party, referenceTo(token, at))
  return token
}

/** Starts the logout of all applications of the session; undefined if there are none to tell. */
export async function beginLogout(
  context: LogoutContext,
  tx: Tx,
  session: UserSession,
  { origin, except }: { origin?: Origin; except?: string } = {},
): Promise<Token | undefined> {
  const parties = await partiesOf(context, tx, session)
  const others = parties.filter(({ applicationId }) => applicationId !== except)
  return start(context, tx, session.organizationId, others, origin)
}

/** A session that ends without its browser, by an administrator for example: only jobs can tell the applications. */
export const tellApplicationsOfEnd =
  (context: LogoutContext): Listener<unknown, UserSession> =>
  async (tx, _, session) => {
    const parties = await partiesOf(context, tx, session)
    const reachable = parties.filter(({ channel }) => channel === 'back')
    const unattended = reachable.map((party): Party => ({ ...party, unattended: true }))
    await start(context, tx, session.organizationId, unattended)
  }

/** Where the browser continues after signing out in the portal; undefined if no application is to be told. */
export const signOutAddress =
  (context: LogoutContext) =>
  async (tx: Tx, session: UserSession): Promise<string | undefined> => {
    const token = await beginLogout(context, tx, session)
    return token && logoutPath(token)
  }

export async function stateOf(
  { db }: Pick<LogoutContext, 'db'>,
  { organizationId, hash }: Token,
): Promise<LogoutState | undefined> {
  return (await findLogout(db.tenant(organizationId), organizationId, hash))?.state
}

export const partyOf = async (
  { db }: Pick<LogoutContext, 'db'>,
  { organizationId, logout, at }: PartyReference,
): Promise<Party | undefined> =>
  (await findLogout(db.tenant(organizationId), organizationId, Buffer.from(logout, 'hex')))?.state
    .parties[at]

/** Applies to one party; the others report at the same time. Undefined: there is no such party. */
export const settle = (
  { db }: Pick<LogoutContext, 'db'>,
  organizationId: string,
  hash: Buffer,
  at: number,
  next: (party: Party) => Partial<Pick<Party, 'state' | 'channel'>>,
): Promise<Party | undefined> =>
  db.tx(organizationId, async (tx) => {
    const row = await lockLogout(tx, organizationId, hash)
    const party = row?.state.parties[at]
    if (!row || !party) return undefined
    const settled = { ...party, ...next(party) }
    const parties = row.state.parties.with(at, settled)
    await saveLogout(tx, organizationId, hash, { ...row.state, parties })
    return settled
  })

export const settleLater = (
  context: Pick<LogoutContext, 'db'>,
  { organizationId, logout, at }: PartyReference,
  next: Partial<Pick<Party, 'state' | 'channel'>>,
) => settle(context, organizationId, Buffer.from(logout, 'hex'), at, () => next)

/** What a relay names: the logout and one of its parties. */
export function readRelay(relay: string): { token: Token; at: number } | undefined {
  const token = readToken(relay)
  const at = Number(relay.split('.')[2])
  return token && Number.isInteger(at) && at >= 0 ? { token, at } : undefined
}

/** A page inside a frame, or in a tab that the user opened. */
export const partyPage = ({ label, state }: Party): Outcome => ({
  binding: 'page',
  status: 200,
  title: state === 'failed' ? 'Not signed out' : 'Signed out',
  text: state === 'failed' ? `${label} could not sign you out.` : `You are signed out of ${label}.`,
  framed: true,
})

export const signedOutPage = (): Outcome => ({
  binding: 'page',
  status: 200,
  title: 'Signed out',
  text: 'You are signed out.',
})

/** The content of one frame: the message to its application. */
export async function tell(context: LogoutContext, token: Token, at: number): Promise<Outcome> {
  const { organizationId, hash } = token
  const party = (await stateOf(context, token))?.parties[at]
  if (party?.channel !== 'front') return signedOutPage()
  const relay = `${token.text}.${at}`
  const message = await context.protocols[party.protocol].message(organizationId, party, relay)
  if (!message) return partyPage({ ...party, state: 'failed' })
  // OpenID Connect has no response in the browser.
  if (party.protocol === 'oidc')
    await settle(context, organizationId, hash, at, () => ({ state: 'sent' }))
  return message.binding === 'post' ? { ...message, framed: true } : message
}

export const isSettled = ({ channel, state }: Party): boolean =>
  channel === 'none' || state !== 'waiting'

/** Whether the user may still be signed in there. */
export const isLeft = ({ channel, state }: Party): boolean =>
  channel === 'none' || state === 'waiting' || state === 'failed'

/** The end: a response to the application that asked. Undefined: the user sees what could not be reached. */
export async function respondToOrigin(
  { protocols }: LogoutContext,
  organizationId: string,
  { origin, parties }: LogoutState,
): Promise<Outcome | undefined> {
  if (!origin) return undefined
  return protocols[origin.protocol].respond(organizationId, origin, isComplete(parties))
}

export const isComplete = (parties: Party[]): boolean =>
  parties.every((party) => party.channel === 'none' || !isLeft(party))

/** The end of a logout that an application asked for, or the page that tells the others first. */
export const logoutOutcome = async (
  context: LogoutContext,
  organizationId: string,
  origin: Origin,
  token: Token | undefined,
): Promise<Outcome> =>
  token
    ? redirectTo(logoutPath(token))
    : ((await respondToOrigin(context, organizationId, { origin, parties: [] })) ?? signedOutPage())
