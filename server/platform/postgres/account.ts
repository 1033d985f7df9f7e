import {
  chmodSync,
  constants,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { OperatorError } from '../errors.ts'

/** Where root keeps what an unprivileged PostgreSQL must be able to reach. */
export const SHARED_HOME = '/var/lib/gatehouse'

export interface Account {
  name: string
  uid: number
  gid: number
}

/** PostgreSQL refuses to run as root: then it runs as an unprivileged account that exists. */
export function postgresAccount(): Account | null {
  if (process.getuid?.() !== 0) return null
  const accounts = readFileSync('/etc/passwd', 'utf8').split('\n')
  for (const name of ['postgres', 'nobody']) {
    const fields = accounts.find((line) => line.startsWith(`${name}:`))?.split(':')
    if (fields) return { name, uid: Number(fields[2]), gid: Number(fields[3]) }
  }
  throw new OperatorError(
    'PostgreSQL cannot run as root and there is neither a postgres nor a nobody account; start as another user or set DATABASE_URL',
  )
}

function mayEnter(directory: string, { uid, gid }: Account): boolean {
  const { mode, uid: owner, gid: group } = statSync(directory)
  const shift = owner === uid ? 6 : group === gid ? 3 : 0
  return ((mode >> shift) & 1) === 1
}

/** Whether every directory above `path` lets the account through; root's home, for one, does not. */
export function reachable(path: string, account: Account | null): boolean {
  if (account === null) return true
  for (let directory = dirname(path); ; directory = dirname(directory)) {
    if (existsSync(directory) && !mayEnter(directory, account)) return false
    if (directory === dirname(directory)) return true
  }
}

/** A new folder that other accounts can pass through, whatever the umask takes away. */
export function makePassage(path: string): void {
  if (existsSync(path)) return
  if (!existsSync(dirname(path))) makePassage(dirname(path))
  mkdirSync(path, { recursive: true })
  chmodSync(path, 0o711)
}

/** Others may do what the owner may, except write: a strict umask at install time locked them out. */
function openForReading(path: string): void {
  for (const entry of [path, ...readdirSync(path, { recursive: true, encoding: 'utf8' })]) {
    const file = entry === path ? path : join(path, entry)
    const { mode } = lstatSync(file)
    const owner = (mode >> 6) & 5
    if ((mode & constants.S_IFMT) !== constants.S_IFLNK)
      chmodSync(file, mode | (owner << 3) | owner)
  }
}

/**
 * The PostgreSQL programs in a place the account can reach: where npm put them, or a copy. The copy
 * appears under its final name in one step, so a start that was killed half-way leaves nothing broken.
 */
export function reachablePrograms(
  native: string,
  version: string,
  account: Account | null,
): string {
  const program = join(native, 'bin', 'postgres')
  if (account === null || (reachable(program, account) && mayEnter(program, account))) return native
  const home = join(SHARED_HOME, `postgresql-${version}`)
  if (!existsSync(home)) {
    makePassage(SHARED_HOME)
    const partial = `${home}.${process.pid}`
    rmSync(partial, { recursive: true, force: true })
    cpSync(native, partial, { recursive: true, verbatimSymlinks: true })
    openForReading(partial)
    try {
      renameSync(partial, home)
    } catch (error) {
      rmSync(partial, { recursive: true, force: true })
      if (!existsSync(home)) throw error
    }
  }
  return home
}
