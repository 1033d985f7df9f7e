import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { writeWhole } from '../server/platform/files.ts'

/** demo-credentials.json: everything a user or a test needs for the demo. */
export interface DemoCredentials {
  baseUrl: string
  insightsUrl: string
  provider: { id: string }
  organizations: { id: string; name: string; singleTenant: boolean }[]
  administrators: {
    email: string
    password: string
    apiKey: string
    role: string
    organizationId: string | null
    providerId: string | null
  }[]
  users: {
    id: string
    organizationId: string
    username: string
    email: string
    password: string
    state: string
  }[]
  systems: {
    id: string
    organizationId: string
    privateKeyPath: string
    os: string
    eligible: boolean
  }[]
  applications: { id: string; organizationId: string; name: string; slug: string }[]
}

export const emptyCredentials = (baseUrl: string): DemoCredentials => ({
  baseUrl: `${baseUrl}/api`,
  insightsUrl: baseUrl,
  provider: { id: '' },
  organizations: [],
  administrators: [],
  users: [],
  systems: [],
  applications: [],
})

const fileOf = (dataDir: string): string => join(dataDir, 'demo-credentials.json')

export const credentialsFileExists = (dataDir: string): boolean => existsSync(fileOf(dataDir))

/** The private keys of systems; written before the credentials file, which refers to them. */
export async function writePrivateKeys(
  dataDir: string,
  keys: ReadonlyMap<string, string>,
): Promise<void> {
  for (const [path, key] of keys) {
    const file = join(dataDir, path)
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    await writeWhole(file, (handle) => handle.writeFile(key))
  }
}

/** Atomic: a process that waits for the file never reads a partial one. */
export async function writeCredentials(
  dataDir: string,
  credentials: DemoCredentials,
): Promise<string> {
  const file = fileOf(dataDir)
  mkdirSync(dataDir, { recursive: true, mode: 0o711 })
  const text = `${JSON.stringify(credentials, null, 2)}\n`
  await writeWhole(file, (handle) => handle.writeFile(text))
  return file
}
