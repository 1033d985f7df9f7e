import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Started, start } from './child.ts'

export interface Service extends Started {
  url: string
  /** Printed by the first start only. */
  apiKey: string
  dataDir: string
}

const API_KEY_HEADER = 'x-api-key'
export const keyHeader = (apiKey: string) => ({ [API_KEY_HEADER]: apiKey })

/** A data directory that is deleted after the benchmark. The database's account may traverse it. */
export function temporaryDataDir(): { dataDir: string; remove: () => void } {
  const parent = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'))
  chmodSync(parent, 0o711)
  const dataDir = join(parent, 'data')
  mkdirSync(dataDir, { mode: 0o711 })
  return { dataDir, remove: () => rmSync(parent, { recursive: true, force: true }) }
}

/**
 * `gatehouse serve` as an operator would start it: embedded PostgreSQL with default settings (fsync on) and the
 * default log level. Only the port differs, to avoid conflicts.
 */
export async function startService(
  dataDir: string,
  nodeFlags: string[] = [],
  env: Record<string, string> = {},
  options: string[] = [],
): Promise<Service> {
  const started = await start(
    [...nodeFlags, 'cli/main.ts', 'serve', ...options],
    /Health\s+\S+\/readyz[\s\S]*\n\n/,
    {
      GATEHOUSE_DATA_DIR: dataDir,
      PORT: '0',
      ...env,
    },
  )
  const url = /(http:\/\/\S+)\/readyz/.exec(started.line)![1]!
  const apiKey = /API key\s+(\S+)/.exec(started.line)?.[1] ?? ''
  return { ...started, url, apiKey, dataDir }
}

/** The first administrator's organization. */
export async function firstOrganization({ url, apiKey }: Service): Promise<string> {
  const response = await fetch(`${url}/api/organizations`, { headers: keyHeader(apiKey) })
  const { results } = (await response.json()) as { results: { id: string }[] }
  return results[0]!.id
}

/** Staged, so that no mail is sent. */
export const userOf = (name: string) => ({
  state: 'STAGED',
  username: name,
  email: `${name}@example.com`,
  firstname: 'Ada',
  lastname: 'Lovelace',
})

/** Returns the id. */
export async function createUser({ url, apiKey }: Service, name: string): Promise<string> {
  const response = await fetch(`${url}/api/systemusers`, {
    method: 'POST',
    headers: { ...keyHeader(apiKey), 'content-type': 'application/json' },
    body: JSON.stringify(userOf(name)),
  })
  if (!response.ok) throw new Error(`The user was not created: ${await response.text()}`)
  return ((await response.json()) as { id: string }).id
}
