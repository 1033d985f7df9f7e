import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { OperatorError } from '../errors.ts'
import { processIdentity } from './process-identity.ts'

const PATIENCE_MS = 20_000

interface Logger {
  info(details: object, message: string): void
}

/** Whether the process is a PostgreSQL of this cluster: it makes the cluster its working directory. */
function belongsTo(cluster: string, pid: number): boolean {
  if (!(pid > 0) || processIdentity(pid) === null) return false
  if (process.platform !== 'linux') return true
  try {
    if (readFileSync(`/proc/${pid}/comm`, 'utf8').trim() !== 'postgres') return false
    // By inode: seen from here, a container's directory may have the same path as ours.
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
    // It ended by itself in between.
  }
}

/** Each signal in turn until all are gone. */
async function end(cluster: string, pids: number[], signals: NodeJS.Signals[]): Promise<void> {
  const left = () => pids.filter((pid) => belongsTo(cluster, pid))
  for (const signal of signals) {
    for (const pid of left()) send(pid, signal)
    for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await delay(20))
      if (left().length === 0) return
  }
  throw new OperatorError(`PostgreSQL (process ${left()[0]}) of an earlier run does not stop`)
}

const processesOf = (cluster: string): number[] =>
  process.platform === 'linux'
    ? readdirSync('/proc')
        .map(Number)
        .filter((pid) => belongsTo(cluster, pid))
    : []

/**
 * A PostgreSQL that outlived its Node process is asked to stop and waited for. Then its pid file and the
 * lock of its socket go: PostgreSQL would believe them if their pid belonged to somebody else by now, or
 * to a dead process that nobody has collected yet.
 */
export async function endOrphans(cluster: string, sockets: string, log: Logger): Promise<void> {
  const file = join(cluster, 'postmaster.pid')
  const pid = readPid(file)
  if (pid !== null && belongsTo(cluster, pid)) {
    log.info({ pid }, 'stopping the PostgreSQL that an earlier process left running')
    await end(cluster, [pid], ['SIGINT', 'SIGQUIT', 'SIGKILL'])
  }
  // What a killed postmaster left: while one of them lives PostgreSQL rightly refuses to start. The next
  // start recovers from the log anyway, so nothing is lost by force.
  await end(cluster, processesOf(cluster), ['SIGKILL'])
  for (const stale of [file, join(sockets, '.s.PGSQL.5432.lock')]) rmSync(stale, { force: true })
}
