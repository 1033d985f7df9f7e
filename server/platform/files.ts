import { lstatSync, realpathSync, type Stats, statSync } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { codeOf, messageOf, OperatorError } from './errors.ts'

function kindOf(found: Stats): string {
  if (found.isDirectory()) return 'a folder'
  if (found.isFIFO()) return 'a pipe'
  if (found.isSocket()) return 'a socket'
  return 'a device'
}

function find(file: string, purpose: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false })
  } catch (error) {
    throw new OperatorError(`${file} cannot be ${purpose}: ${messageOf(error)}`)
  }
}

function refuseIrregular(file: string, found: Stats, purpose: string): void {
  if (found.isFile()) return
  throw new OperatorError(
    `${file} cannot be ${purpose}: it is ${kindOf(found)}, not a regular file`,
  )
}

/** Resolves symlinks to the real target. Refuses targets that cannot be replaced by a file. */
export function checkTarget(file: string): string {
  const refuse = (why: string) => new OperatorError(`${file} cannot be written: ${why}`)
  const found = find(file, 'written')
  if (found) {
    refuseIrregular(file, found, 'written')
    return realpathSync(file)
  }
  if (file.endsWith('/')) throw refuse('it is a directory')
  const folder = dirname(file)
  if (!find(folder, 'found')?.isDirectory()) throw refuse(`directory ${folder} does not exist`)
  if (lstatSync(file, { throwIfNoEntry: false })) throw refuse('it is a dangling symlink')
  return file
}

/** The source is read twice or from the middle, so it must be a regular file. */
export function checkSource(file: string): void {
  const found = find(file, 'read')
  if (!found) throw new OperatorError(`${file} cannot be read: the file does not exist`)
  refuseIrregular(file, found, 'read')
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Turns file system errors into operator errors; others pass through. */
const explained = (file: string, error: unknown): unknown =>
  error instanceof Error && 'syscall' in error && codeOf(error)?.startsWith('E')
    ? new OperatorError(`${file} cannot be written: ${error.message}`, { cause: error })
    : error

/**
 * Writes to a temporary file and renames it: the target is always complete and on disk, and a failure leaves the
 * previous file, if any. Readable by its owner only.
 */
export async function writeWhole(
  file: string,
  write: (handle: FileHandle) => Promise<void>,
): Promise<void> {
  const target = checkTarget(file)
  const partial = `${target}.partial`
  try {
    await rm(partial, { force: true })
    const handle = await open(partial, 'wx', 0o600)
    try {
      await write(handle)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(partial, target)
    await syncFolder(dirname(target))
  } catch (error) {
    await rm(partial, { force: true }).catch(() => {})
    throw explained(file, error)
  }
}
