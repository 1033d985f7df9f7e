import { randomBytes } from 'node:crypto'
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { messageOf, OperatorError } from '../errors.ts'
import { processIdentity } from './process-identity.ts'

export function prepareDataDirectory(path: string): void {
  try {
    // Not below 0711: under root the database's account must pass through to its own folder.
    mkdirSync(path, { recursive: true, mode: 0o711 })
    accessSync(path, constants.W_OK | constants.X_OK)
    // Root passes access() everywhere, so try what we are going to do.
    const probe = join(path, `.probe-${process.pid}`)
    writeFileSync(probe, '')
    rmSync(probe)
  } catch (error) {
    throw new OperatorError(`The data directory ${path} cannot be written: ${messageOf(error)}`)
  }
}

/**
 * One process per data directory. The lock names its holder by pid and start time, so one left behind by
 * a killed process is recognized and taken over; nobody has to delete a file.
 */
export function lockDataDirectory(path: string): () => void {
  const file = join(path, 'gatehouse.lock')
  const mine = processIdentity(process.pid) ?? String(process.pid)
  for (let attempt = 0; attempt < 20; attempt++) {
    try {
      writeFileSync(file, mine, { flag: 'wx', mode: 0o600 })
      return () => rmSync(file, { force: true })
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    }
    const holder = lockHolder(path)
    if (holder !== null) {
      throw new OperatorError(
        `Another Gatehouse (process ${holder}) is running on the data directory ${path}`,
      )
    }
    rmSync(file, { force: true })
  }
  throw new OperatorError(`The data directory ${path} could not be locked`)
}

/** The pid of the live process that holds the directory, or null. */
export function lockHolder(path: string): number | null {
  const file = join(path, 'gatehouse.lock')
  if (!existsSync(file)) return null
  const holder = readFileSync(file, 'utf8')
  const pid = Number(holder.split(' ')[0])
  return pid > 0 && processIdentity(pid) === holder ? pid : null
}

/** A secret that lives in the data directory, made on first use; readable by its owner only. */
export function secretFile(directory: string, name: string, make: () => string): string {
  const file = join(directory, name)
  if (!existsSync(file)) writeFileSync(file, make(), { mode: 0o600, flag: 'wx' })
  return readFileSync(file, 'utf8').trim()
}

/**
 * The folder that PostgreSQL owns. Normally `postgres/` in the data directory; a link to `elsewhere` when
 * the database's account could not enter the data directory. Deleting the data directory thus always
 * means starting over.
 */
export function databaseHome(dataDir: string, elsewhere: string | null): string {
  const link = join(dataDir, 'postgres')
  if (lstatSync(link, { throwIfNoEntry: false }) === undefined) {
    if (elsewhere === null) {
      mkdirSync(link, { mode: 0o700 })
    } else {
      const home = join(elsewhere, randomBytes(8).toString('hex'))
      mkdirSync(elsewhere, { recursive: true, mode: 0o711 })
      mkdirSync(home, { mode: 0o700 })
      symlinkSync(home, link)
    }
  } else if (!existsSync(link)) {
    throw new OperatorError(
      `${link} points to a folder that is gone; restore it, or remove the link to start empty`,
    )
  }
  const home = realpathSync(link)
  chmodSync(home, 0o700)
  return home
}
