import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { OperatorError } from '../errors.ts'
import { processIdentity } from './process-identity.ts'

const PATIENCE_MS = 20_000

interface Logger {
  info(details: object, message: string): void
}

/** Whether the process is a PostgreSQL of this cluster: the cluster is its working directory. */
function belongsTo(cluster: string, pid: number): boolean {
  if (!(pid > 0) || processIdentity(pid) === null) return false
  if (process.platform !== 'linux') return true
  try {
    if (readFileSync(`/proc/${pid}/comm`, 'utf8').trim() !== 'postgres') return false
    // By inode: a container's directory may have the same path as ours.
    const [theirs, ours] = [statSync(`/proc/${pid}/cwd`), statSync(cluster)]
    return theirs.dev === ours.dev && theirs.ino === ours.ino
  } catch {
    return false
  }
}

function readPid(file: string): number | null {
  try {
    return Number(readFileSync(file, 'utf8').split('\n')[0])
  } catch {
    return null
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It exited in the meantime.
  }
}

/** Sends each signal in turn until all processes are gone. */
async function end(cluster: string, pids: number[], signals: NodeJS.Signals[]): Promise<void> {
  const left = () => pids.filter((pid) => belongsTo(cluster, pid))
  for (const signal of signals) {
    for (const pid of left()) send(pid, signal)
    for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await delay(20))
      if (left().length === 0) return
  }
  throw new OperatorError(`PostgreSQL (process ${left()[0]}) of an earlier run cannot be stopped`)
}

const processesOf = (cluster: string): number[] =>
  process.platform === 'linux'
    ? readdirSync('/proc')
        .map(Number)
        .filter((pid) => belongsTo(cluster, pid))
    : []

/**
 * Stops a PostgreSQL that outlived its Node process, then removes its pid file and socket lock: PostgreSQL would
 * respect them if the pid was reused or belongs to a zombie.
 */
export async function endOrphans(cluster: string, sockets: string, log: Logger): Promise<void> {
  const file = join(cluster, 'postmaster.pid')
  const pid = readPid(file)
  if (pid !== null && belongsTo(cluster, pid)) {
    log.info({ pid }, 'stopping an orphaned PostgreSQL of an earlier process')
    await end(cluster, [pid], ['SIGINT', 'SIGQUIT', 'SIGKILL'])
  }
  // Children of a killed postmaster: PostgreSQL refuses to start while one is alive. The next start recovers from the
  // WAL anyway, so SIGKILL loses nothing.
  await end(cluster, processesOf(cluster), ['SIGKILL'])
  for (const stale of [file, join(sockets, '.s.PGSQL.5432.lock')]) rmSync(stale, { force: true })
}
