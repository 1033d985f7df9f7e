import { generateKeyPair, randomBytes, sign } from 'node:crypto'
import { promisify } from 'node:util'
import { recordEvent } from '../insights/index.ts'
import type { Caller } from '../platform/caller.ts'
import type { Tx } from '../platform/db/index.ts'
import { unauthenticated } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { sha256 } from '../platform/secrets.ts'
import type { SystemContext } from './context.ts'
import {
  type AgentSigningKeyRow,
  findAgentSigningKey,
  findConnectKey,
  findTenantOfConnectKey,
  insertAgentSigningKey,
  insertConnectKey,
  lockAgentSigningKeys,
  replaceConnectKey,
} from './key-store.ts'

const connectKeyContext = (organizationId: string) => `connect key ${organizationId}`
const signingKeyContext = (id: string) => `agent signing key ${id}`

const newConnectKey = ({ sealer }: SystemContext, organizationId: string) => {
  const plain = randomBytes(20).toString('hex')
  return {
    plain,
    hash: sha256(plain),
    sealed: sealer.seal(plain, connectKeyContext(organizationId)),
  }
}

/** The connect key, created on first use. */
export async function getConnectKey(context: SystemContext, organizationId: string) {
  const { db, sealer } = context
  if (!(await findConnectKey(db, organizationId)))
    await insertConnectKey(db, organizationId, newConnectKey(context, organizationId))
  const { sealed_key, created } = (await findConnectKey(db, organizationId))!
  const connectKey = await sealer.unseal(sealed_key, connectKeyContext(organizationId))
  return { connectKey, created }
}

/** Only the new key enrols from now on; enrolled systems are not affected. */
export async function rotateConnectKey(context: SystemContext, caller: Caller) {
  const { organizationId } = caller
  await context.db.tx(organizationId, async (tx) => {
    await replaceConnectKey(tx, organizationId, newConnectKey(context, organizationId))
    await recordEvent(tx, caller, {
      event_type: 'connectkey_rotate',
      resource: { type: 'connect_key' },
      changes: [{ field: 'connectKey' }],
    })
  })
  return getConnectKey(context, organizationId)
}

/** The organization that a connect key belongs to. */
export async function tenantOfConnectKey(
  { db }: SystemContext,
  presented: string | undefined,
): Promise<string> {
  const found =
    presented && /^[0-9a-f]{40}$/.test(presented)
      ? await findTenantOfConnectKey(db, sha256(presented))
      : undefined
  if (!found)
    throw unauthenticated('connect_key_invalid', 'Unauthorized: x-connect-key is missing or wrong')
  return found.tenant
}

const generate = promisify(generateKeyPair)

type SigningContext = Pick<SystemContext, 'db' | 'sealer'>

async function makeSigningKey({ sealer }: SigningContext, tx: Tx, organizationId: string) {
  const { publicKey, privateKey } = await generate('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const id = newId()
  await insertAgentSigningKey(tx, organizationId, {
    id,
    public_key: publicKey,
    private_key: sealer.seal(privateKey, signingKeyContext(id)),
  })
}

/** The key that signs orders for an organization's agents, created on first use. */
export async function agentSigningKey(
  context: SigningContext,
  organizationId: string,
): Promise<AgentSigningKeyRow> {
  const { db } = context
  const known = await findAgentSigningKey(db.tenant(organizationId), organizationId)
  if (known) return known
  return db.tx(organizationId, async (tx) => {
    await lockAgentSigningKeys(tx, organizationId)
    if (!(await findAgentSigningKey(tx, organizationId)))
      await makeSigningKey(context, tx, organizationId)
    return (await findAgentSigningKey(tx, organizationId))!
  })
}

/** Signs texts for the agents of an organization. */
export async function signForAgents(
  context: SigningContext,
  organizationId: string,
  texts: string[],
): Promise<Buffer[]> {
  const { id, private_key } = await agentSigningKey(context, organizationId)
  const key = await context.sealer.unseal(private_key, signingKeyContext(id))
  return texts.map((text) => sign('RSA-SHA256', Buffer.from(text), key))
}
