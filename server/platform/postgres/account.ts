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

/** Where root puts files that an unprivileged PostgreSQL must reach. */
export const SHARED_HOME = '/var/lib/gatehouse'

export interface Account {
  name: string
  uid: number
  gid: number
}

/** PostgreSQL refuses to run as root, so it then runs as an existing unprivileged account. */
export function postgresAccount(): Account | null {
  if (process.getuid?.() !== 0) return null
  const accounts = readFileSync('/etc/passwd', 'utf8').split('\n')
  for (const name of ['postgres', 'nobody']) {
    const fields = accounts.find((line) => line.startsWith(`${name}:`))?.split(':')
    if (fields) return { name, uid: Number(fields[2]), gid: Number(fields[3]) }
  }
  throw new OperatorError(
    'PostgreSQL cannot run as root, and there is no postgres or nobody account; start as another user or set DATABASE_URL',
  )
}

function mayEnter(directory: string, { uid, gid }: Account): boolean {
  const { mode, uid: owner, gid: group } = statSync(directory)
  const shift = owner === uid ? 6 : group === gid ? 3 : 0
  return ((mode >> shift) & 1) === 1
}

/** Whether the account can traverse every directory above `path`; root's home, for one, is closed. */
export function reachable(path: string, account: Account | null): boolean {
  if (account === null) return true
  for (let directory = dirname(path); ; directory = dirname(directory)) {
    if (existsSync(directory) && !mayEnter(directory, account)) return false
    if (directory === dirname(directory)) return true
  }
}

/** Creates a directory that other accounts can traverse, regardless of the umask. */
export function makePassage(path: string): void {
  if (existsSync(path)) return
  if (!existsSync(dirname(path))) makePassage(dirname(path))
  mkdirSync(path, { recursive: true })
  chmodSync(path, 0o711)
}

/** Gives others the owner's permissions except write: a strict umask at install time may have removed them. */
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
 * The PostgreSQL programs where the account can reach them: as npm installed them, or a copy. The copy is renamed into
 * place, so a start that is killed half-way leaves nothing broken.
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
