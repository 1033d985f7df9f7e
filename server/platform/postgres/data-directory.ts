import { randomBytes } from 'node:crypto'
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { codeOf, messageOf, OperatorError } from '../errors.ts'
import { makePassage } from './account.ts'
import { processIdentity } from './process-identity.ts'

export function prepareDataDirectory(path: string): void {
  try {
    // Not below 0711: under root, the database's account must traverse it to reach its own directory.
    mkdirSync(path, { recursive: true, mode: 0o711 })
    accessSync(path, constants.W_OK | constants.X_OK)
    // access() always succeeds for root, so try an actual write.
    const probe = join(path, `.probe-${process.pid}`)
    writeFileSync(probe, '')
    rmSync(probe)
  } catch (error) {
    throw new OperatorError(`The data directory ${path} cannot be written: ${messageOf(error)}`)
  }
}

/**
 * Creates a file atomically and complete: even after a kill or a power cut no reader finds half a file. Returns false
 * when the name is taken.
 */
function createWhole(file: string, text: string): boolean {
  const partial = `${file}.${process.pid}`
  rmSync(partial, { force: true })
  writeFileSync(partial, text, { mode: 0o600, flag: 'wx', flush: true })
  try {
    linkSync(partial, file)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  } finally {
    rmSync(partial, { force: true })
  }
}

/** Removes a dead process's lock, unless another process took over meanwhile. */
function removeStale(file: string, stale: string): void {
  const aside = `${file}.stale.${process.pid}`
  try {
    renameSync(file, aside)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return
    throw error
  }
  const moved = readFileSync(aside, 'utf8')
  if (moved !== stale) createWhole(file, moved)
  rmSync(aside)
}

/**
 * One process per data directory. The lock names its holder by pid and start time, so a stale lock of a killed process
 * is recognized and taken over without manual cleanup.
 */
export function lockDataDirectory(path: string): () => void {
  const file = join(path, 'gatehouse.lock')
  const mine = processIdentity(process.pid) ?? String(process.pid)
  for (let attempt = 0; attempt < 20; attempt++) {
    if (createWhole(file, mine)) return () => rmSync(file, { force: true })
    const lock = readLock(path)
    if (lock === null) continue
    const holder = holderOf(lock)
    if (holder !== null) {
      throw new OperatorError(
        `Another Gatehouse (process ${holder}) is running on the data directory ${path}`,
      )
    }
    removeStale(file, lock)
  }
  throw new OperatorError(`The data directory ${path} cannot be locked`)
}

function readLock(path: string): string | null {
  try {
    return readFileSync(join(path, 'gatehouse.lock'), 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}

function holderOf(lock: string): number | null {
  const pid = Number(lock.split(' ')[0])
  return pid > 0 && processIdentity(pid) === lock ? pid : null
}

/** The pid of the live process that holds the lock, or null. */
export function lockHolder(path: string): number | null {
  const lock = readLock(path)
  return lock === null ? null : holderOf(lock)
}

/** A secret in the data directory, created on first use; readable by its owner only. */
export function secretFile(directory: string, name: string, make: () => string): string {
  const file = join(directory, name)
  // Processes that share the directory may start at once: the first secret wins.
  if (!existsSync(file)) createWhole(file, make())
  return readFileSync(file, 'utf8').trim()
}

/**
 * The directory that PostgreSQL owns: `postgres/` in the data directory, or a link to `elsewhere` when the database's
 * account cannot enter the data directory. So deleting the data directory always means starting over.
 */
export function databaseHome(dataDir: string, elsewhere: string | null): string {
  const link = join(dataDir, 'postgres')
  if (lstatSync(link, { throwIfNoEntry: false }) === undefined) {
    if (elsewhere === null) {
      mkdirSync(link, { mode: 0o700 })
    } else {
      const home = join(elsewhere, randomBytes(8).toString('hex'))
      makePassage(elsewhere)
      mkdirSync(home, { mode: 0o700 })
      symlinkSync(home, link)
    }
  } else if (!existsSync(link)) {
    throw new OperatorError(
      `${link} points to a missing directory; restore it, or remove the link to start empty`,
    )
  }
  const home = realpathSync(link)
  chmodSync(home, 0o700)
  return home
}
