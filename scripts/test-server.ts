import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { messageOf, OperatorError } from '../server/platform/errors.ts'
import { type Account, postgresAccount } from '../server/platform/postgres/account.ts'
import { installPackages } from '../test/debian.ts'
import { SPEED } from './test-cluster.ts'

// npm run test:server [-- words]: runs what `npm run test:all` has of tests with a database on a PostgreSQL server,
// either TEST_DATABASE_URL or a temporary one from Debian's package, which is reached over TLS as managed ones are.

/** The oldest supported release that is installed: code that runs on it runs on newer ones. */
const findPrograms = (): string | undefined =>
  globSync('/usr/lib/postgresql/*/bin/postgres')
    .map((path) => ({ path: dirname(path), release: Number(path.split('/').at(-3)) }))
    .filter(({ release }) => release >= 15)
    .sort((a, b) => a.release - b.release)[0]?.path

function installPostgres(): void {
  // A drop-in for the package: no default cluster is created, so no service starts.
  if (process.getuid?.() === 0) {
    mkdirSync('/etc/postgresql-common/createcluster.d', { recursive: true })
    writeFileSync(
      '/etc/postgresql-common/createcluster.d/no-main-cluster.conf',
      'create_main_cluster = false\n',
    )
  }
  installPackages(
    'A PostgreSQL server (or TEST_DATABASE_URL, the login of a superuser)',
    'postgresql',
  )
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (address === null || typeof address === 'string') throw new Error('No free port')
  return address.port
}

async function untilReady(url: string, ended: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 30_000; ; await delay(50)) {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => {})
    try {
      await client.connect()
      return
    } catch (error) {
      if (ended() || Date.now() > deadline)
        throw new OperatorError(`PostgreSQL did not start: ${messageOf(error)}`)
    } finally {
      await client.end().catch(() => {})
    }
  }
}

/** Signed by itself, so that it is its own certificate authority. */
function makeCertificate(home: string): { cert: string; key: string } {
  const cert = join(home, 'server.crt')
  const key = join(home, 'server.key')
  const subject = ['-subj', '/CN=gatehouse-test', '-addext', 'subjectAltName=IP:127.0.0.1']
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
      ...['-days', '2', ...subject, '-keyout', key, '-out', cert],
    ],
    { stdio: 'ignore' },
  )
  chmodSync(key, 0o600)
  return { cert, key }
}

/** A separate cluster in a temporary folder, isolated from the machine's other databases. */
async function startCluster(programs: string) {
  const account: Account | null = postgresAccount()
  const identity = account ? { uid: account.uid, gid: account.gid } : {}
  const home = mkdtempSync(join(tmpdir(), 'gatehouse-server-'))
  if (account) chownSync(home, account.uid, account.gid)
  const cluster = join(home, 'cluster')
  const port = await freePort()
  // Every local user can reach loopback, so require a password.
  const password = crypto.randomUUID()
  writeFileSync(join(home, 'password'), password, { mode: 0o644 })
  const certificate = makeCertificate(home)
  if (account)
    for (const path of Object.values(certificate)) chownSync(path, account.uid, account.gid)
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: home,
    ssl: 'on',
    ssl_cert_file: certificate.cert,
    ssl_key_file: certificate.key,
  }
  const flags = Object.entries({ ...settings, ...SPEED, max_connections: 200 })
  const options = { cwd: home, ...identity }
  const initdb = ['--pgdata', cluster, '--username', 'postgres', '--auth', 'scram-sha-256']
  execFileSync(
    join(programs, 'initdb'),
    [...initdb, '--encoding', 'UTF8', '--locale', 'C', '--pwfile', join(home, 'password')],
    { ...options, stdio: ['ignore', 'ignore', 'inherit'] },
  )
  const server = spawn(
    join(programs, 'postgres'),
    ['-D', cluster, ...flags.flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    // A separate process group: Ctrl-C stops the tests first, then the database.
    { ...options, stdio: ['ignore', 'ignore', 'ignore'], detached: true },
  )
  const ended = once(server, 'exit')
  const stop = async () => {
    server.kill('SIGINT')
    await ended
    rmSync(home, { recursive: true, force: true })
  }
  const tls = `sslmode=verify-full&sslrootcert=${encodeURIComponent(certificate.cert)}`
  const url = `postgresql://postgres:${password}@127.0.0.1:${port}/postgres?${tls}`
  try {
    await untilReady(url, () => server.exitCode !== null)
  } catch (error) {
    await stop()
    throw error
  }
  return { url, stop }
}

async function runSuite(url: string): Promise<number> {
  const child: ChildProcess = spawn(
    process.execPath,
    [join(import.meta.dirname, 'test.ts'), '--all', ...process.argv.slice(2)],
    { stdio: 'inherit', env: { ...process.env, TEST_DATABASE_URL: url } },
  )
  const pass = (signal: NodeJS.Signals) => child.kill(signal)
  process.on('SIGTERM', pass).on('SIGINT', pass)
  const [code] = await once(child, 'exit')
  return code ?? 1
}

async function main(): Promise<number> {
  const given = process.env.TEST_DATABASE_URL
  if (given) return runSuite(given)
  if (!findPrograms()) installPostgres()
  const programs = findPrograms()
  if (!programs)
    throw new OperatorError('The package postgresql did not install /usr/lib/postgresql')
  const { url, stop } = await startCluster(programs)
  try {
    return await runSuite(url)
  } finally {
    await stop()
  }
}

try {
  process.exitCode = await main()
} catch (error) {
  process.stderr.write(`test:server: ${messageOf(error)}\n`)
  process.exitCode = 1
}
