import { readFileSync } from 'node:fs'
import { type Caller, systemCaller } from '../platform/caller.ts'
import { invalid } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { sha256 } from '../platform/secrets.ts'
import { createSystem, saveChange, systemNotFound } from './actions.ts'
import { agentSigningKey, tenantOfConnectKey } from './connect-keys.ts'
import type { SystemContext } from './context.ts'
import { insertSystemKey } from './key-store.ts'
import type { Facts, Registration, System } from './schema.ts'
import { readPublicKey } from './signature.ts'
import { lockSystem, type SystemRow, saveSshKeys } from './store.ts'

const read = (name: string) => readFileSync(new URL(`agent/${name}`, import.meta.url), 'utf8')
const KICKSTART = read('kickstart.sh')
const AGENT = read('agent.sh')

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** The shell script that enrols a machine in the organization of the connect key. */
export async function kickstart(
  context: SystemContext,
  connectKey: string | undefined,
): Promise<string> {
  const organizationId = await tenantOfConnectKey(context, connectKey)
  const { public_key } = await agentSigningKey(context, organizationId)
  const values: Record<string, string> = {
    SERVER: quoted(context.publicUrl.replace(/\/$/, '')),
    CONNECT_KEY: quoted(connectKey!),
    SERVER_KEY: public_key.endsWith('\n') ? public_key : `${public_key}\n`,
    AGENT,
  }
  return KICKSTART.replace(/@([A-Z_]+)@/g, (_, name: string) => values[name]!)
}

/** The reported facts, merged over the previous row. */
const reported = (before: Partial<SystemRow>, facts: Facts) => ({
  hostname: facts.hostname,
  os: facts.os,
  os_family: facts.osFamily,
  version: facts.version,
  arch: facts.arch,
  serial_number: facts.serialNumber ?? before.serial_number ?? '',
  agent_version: facts.agentVersion ?? before.agent_version ?? '',
  details: {
    ...before.details,
    ...(facts.hwVendor !== undefined && { hwVendor: facts.hwVendor }),
    ...(facts.networkInterfaces && { networkInterfaces: facts.networkInterfaces }),
  },
})

const sshKeysIn = (facts: Facts) =>
  (facts.sshKeys ?? []).map(({ name, publicKey }) => ({ id: newId(), name, public_key: publicKey }))

export function publicKeyIn(text: string): { fingerprint: Buffer; publicKey: string } {
  const pem = text.includes('-----BEGIN')
    ? text
    : `-----BEGIN PUBLIC KEY-----\n${text}\n-----END PUBLIC KEY-----\n`
  const key = readPublicKey(pem)
  if (!key)
    throw invalid('bad_public_key', 'publicKey: must be an RSA public key of 2048 to 8192 bits')
  return {
    fingerprint: sha256(key.export({ type: 'spki', format: 'der' })),
    publicKey: key.export({ type: 'spki', format: 'pem' }) as string,
  }
}

/** Registers a machine that presents the connect key; its private key never leaves it. */
export async function register(
  context: SystemContext,
  connectKey: string | undefined,
  client: Caller['client'],
  body: Registration,
): Promise<System> {
  const organizationId = await tenantOfConnectKey(context, connectKey)
  const key = publicKeyIn(body.publicKey)
  const id = newId()
  const caller: Caller = {
    ...systemCaller(organizationId, body.hostname),
    initiator: { type: 'system', id, name: body.hostname },
    client,
  }
  return context.db.tx(organizationId, async (tx) => {
    const system = await createSystem(context, tx, caller, {
      ...reported({}, body),
      id,
      display_name: body.displayName ?? body.hostname,
      remote_ip: client.ip,
      last_contact: new Date().toISOString(),
    })
    await insertSystemKey(tx, organizationId, id, key)
    await saveSshKeys(tx, organizationId, id, sshKeysIn(body))
    return system
  })
}

/** Facts from an enrolled system. Unchanged facts are not written and leave no event. */
export function report(context: SystemContext, caller: Caller, facts: Facts): Promise<void> {
  const { organizationId, id } = caller
  return context.db.tx(organizationId, async (tx) => {
    const before = await lockSystem(tx, organizationId, id)
    if (!before) throw systemNotFound()
    await saveChange(context, tx, caller, before, { ...before, ...reported(before, facts) })
    await saveSshKeys(tx, organizationId, id, sshKeysIn(facts))
  })
}
