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

/** Where the file really goes: behind a link, if there is one. Refuses what no file can be put in place of. */
export function checkTarget(file: string): string {
  const refuse = (why: string) => new OperatorError(`${file} cannot be written: ${why}`)
  const found = find(file, 'written')
  if (found) {
    refuseIrregular(file, found, 'written')
    return realpathSync(file)
  }
  if (file.endsWith('/')) throw refuse('it is the name of a folder')
  const folder = dirname(file)
  if (!find(folder, 'found')?.isDirectory()) throw refuse(`there is no folder ${folder}`)
  if (lstatSync(file, { throwIfNoEntry: false })) throw refuse('it is a link that leads nowhere')
  return file
}

/** What is read twice, or from its middle, must be there and stay. */
export function checkSource(file: string): void {
  const found = find(file, 'read')
  if (!found) throw new OperatorError(`${file} cannot be read: there is no such file`)
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

/** Its own failures in plain words; those of others pass. */
const explained = (file: string, error: unknown): unknown =>
  error instanceof Error && 'syscall' in error && codeOf(error)?.startsWith('E')
    ? new OperatorError(`${file} cannot be written: ${error.message}`, { cause: error })
    : error

/**
 * Writes beside the final name and renames at the end: a file of that name is always whole and on disk, and after a
 * failure there is none, or the one that was there before. Readable by its owner only.
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
