import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/**
 * Pids are reused; with its start time, and the boot that time is relative to, a process is identified for good. Null
 * when there is no such process.
 */
export function processIdentity(pid: number): string | null {
  try {
    if (process.platform === 'linux') {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      // A zombie holds no resources. Field 22 of proc(5) is the start time.
      if (fields[0] === 'Z') return null
      const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
      return `${pid} ${fields[19]} ${boot}`
    }
    return `${pid} ${execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim()}`
  } catch {
    return null
  }
}
