import { execFileSync } from 'node:child_process'
import { closeSync, constants, mkdirSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { finally_, newDataDirectory } from './service.ts'

const MIB = 1024 * 1024
const PIECE = Buffer.alloc(MIB / 4)

/**
 * A small disk that can be filled: a tmpfs. Root mounts it directly. Other users run the service in a user namespace
 * that may mount it, and reach the disk from outside through /proc.
 */
export function smallDisk(mebibytes: number) {
  const parent = newDataDirectory()
  const mountPoint = join(parent, 'disk')
  mkdirSync(mountPoint)
  const options = `size=${mebibytes}m,mode=0711`
  const root = process.getuid?.() === 0
  if (root) {
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', mountPoint])
    finally_(() => void execFileSync('umount', ['--lazy', mountPoint]))
  }
  const script = `mount -t tmpfs -o ${options} tmpfs "$0" && exec unshare --user --map-user=${process.getuid?.()} --map-group=${process.getgid?.()} "$@"`
  const within = root
    ? []
    : ['unshare', '--user', '--map-root-user', '--mount', '/bin/sh', '-c', script, mountPoint]
  let path = mountPoint
  const filler = () => join(path, 'filler')
  const free = (): number => {
    const { bavail, bsize } = statfsSync(path)
    return bavail * bsize
  }
  return {
    /** For the settings of the service. */
    dataDir: join(mountPoint, 'data'),
    /** Command to start the service within. */
    within,
    /** Call with the process that runs on it. */
    seenBy(pid: number): void {
      if (!root) path = join('/proc', String(pid), 'root', mountPoint)
    },
    free,
    /** Fills the disk up to this many free bytes. */
    fill(left = 0): void {
      const file = openSync(filler(), constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND)
      try {
        while (free() > left) writeSync(file, PIECE, 0, Math.min(PIECE.length, free() - left))
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
      } finally {
        closeSync(file)
      }
    },
    clear: () => rmSync(filler(), { force: true }),
  }
}
