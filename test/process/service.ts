import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import type { Connection } from '../../server/platform/db/index.ts'
import { processIdentity } from '../../server/platform/postgres/process-identity.ts'
import { until } from '../until.ts'

const ROOT = join(import.meta.dirname, '..', '..')
export const API_KEY = 'api-key-of-the-first-administrator'
export const ADMIN_EMAIL = 'first@example.com'
export const ADMIN_PASSWORD = 'password of the first administrator'

type LogLine = Record<string, unknown> & { msg?: string }
export type Settings = Record<string, string>

// In reverse order: processes end before their directories are deleted.
const undo: (() => Promise<void> | void)[] = []
after(async () => {
  while (undo.length > 0) await undo.pop()!()
})
/** Runs when the test file is done, last registered first. */
export const finally_ = (step: () => Promise<void> | void): void => void undo.push(step)

/** A data directory, deleted after the test file, together with a cluster that had to live elsewhere. */
export function newDataDirectory(parent = tmpdir()): string {
  const path = mkdtempSync(join(parent, 'gatehouse-process-'))
  // World-executable, or under root every cluster would live elsewhere.
  chmodSync(path, 0o711)
  finally_(async () => {
    const left = postgresPid(path)
    if (left) await until('PostgreSQL ends after its service', () => !isRunning(left))
    try {
      rmSync(realpathSync(join(path, 'postgres')), { recursive: true, force: true })
    } catch {
      // The service did not get that far.
    }
    rmSync(path, { recursive: true, force: true })
  })
  return path
}

/** A data directory that a service was started on and has left. The first test file of a run that needs it makes it. */
async function template(): Promise<string> {
  const path = process.env.TEST_DATA_TEMPLATE!
  const mine = mkdirSync(`${path}.made`, { recursive: true }) !== undefined
  if (mine) {
    const made = newDataDirectory()
    const service = await startService({ GATEHOUSE_DATA_DIR: made })
    service.child.kill('SIGTERM')
    await service.exited
    renameSync(made, path)
  } else await until('the template', () => existsSync(path))
  return path
}

/** A data directory that a service has initialized; for tests that are not about the first start, which takes longer. */
export async function usedDataDirectory(): Promise<string> {
  const path = newDataDirectory()
  execFileSync('cp', ['-a', `${await template()}/.`, path])
  return path
}

/** The URL parser rejects `postgresql://user@/…`, so the login of a socket goes in the query. */
export function addressOf({
  connectionString,
  user,
  password,
  host,
  database,
}: Connection): string {
  if (connectionString) return connectionString
  const query = new URLSearchParams({ host: host!, user: user!, password: password ?? '' })
  return `postgresql:///${database}?${query}`
}

export const postgresPid = (dataDir: string, cluster = 'cluster'): number | null => {
  try {
    const file = join(dataDir, 'postgres', cluster, 'postmaster.pid')
    return Number(readFileSync(file, 'utf8').split('\n')[0])
  } catch {
    return null
  }
}
export const isRunning = (pid: number): boolean => processIdentity(pid) !== null

interface Running {
  child: ChildProcess
  lines: LogLine[]
  output: { stdout: string; stderr: string }
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
}

/** The real process, with a clean environment: nothing of the test run leaks in. */
function run(settings: Settings, umask = '022', within: string[] = []): Running {
  const { PATH = '', HOME = '' } = process.env
  const shell = `umask ${umask}; exec "$@" cli/main.ts serve`
  const child = spawn('/bin/sh', ['-c', shell, 'sh', ...within, process.execPath], {
    cwd: ROOT,
    env: {
      PATH,
      HOME,
      PORT: '0',
      GATEHOUSE_ADMIN_EMAIL: ADMIN_EMAIL,
      GATEHOUSE_ADMIN_PASSWORD: ADMIN_PASSWORD,
      GATEHOUSE_ADMIN_API_KEY: API_KEY,
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: LogLine[] = []
  const output = { stdout: '', stderr: '' }
  let partial = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text
  })
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text
    const complete = (partial + text).split('\n')
    partial = complete.pop() ?? ''
    for (const line of complete) if (line.startsWith('{')) lines.push(JSON.parse(line))
  })
  // 'close', not 'exit': by then all output has arrived.
  const exited = once(child, 'close').then(([code, signal]) => ({ code, signal }))
  finally_(async () => {
    child.kill('SIGKILL')
    await exited
  })
  return { child, lines, output, exited }
}

/** Starts the service, optionally `within` another program, and waits until it is ready. */
export async function startService(settings: Settings, umask?: string, within?: string[]) {
  const running = run(settings, umask, within)
  let gone = false
  void running.exited.then(() => {
    gone = true
  })
  const find = () => {
    if (gone) throw new Error(`The service ended: ${running.output.stderr}${running.output.stdout}`)
    // The banner comes last.
    if (!running.output.stdout.includes('Gatehouse is ready')) return undefined
    return running.lines.find(({ msg }) => msg === 'ready')
  }
  const ready = await until('the ready line', find)
  const port = Number(ready.port)
  const call = (method: string, path: string, body?: unknown): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: {
        'x-api-key': API_KEY,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  return {
    ...running,
    ready,
    port,
    pid: running.child.pid!,
    call,
    untilLine: (msg: string) => until(msg, () => running.lines.find((line) => line.msg === msg)),
    untilReady: () => until('/readyz', async () => (await call('GET', '/readyz')).status === 200),
  }
}
export type Service = Awaited<ReturnType<typeof startService>>

/** Starts the service with settings that must make it fail. */
export async function failToStart(settings: Settings) {
  const { exited, output } = run(settings)
  const { code } = await exited
  return { code, ...output }
}
