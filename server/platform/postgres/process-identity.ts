import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/**
 * A pid alone is reused; together with its start time, and the boot that time counts from, it names one
 * process for ever. Null when there is no such process.
 */
export function processIdentity(pid: number): string | null {
  try {
    if (process.platform === 'linux') {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      // A zombie holds nothing any more. Field 22 of proc(5) is the start time.
      if (fields[0] === 'Z') return null
      const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
      return `${pid} ${fields[19]} ${boot}`
    }
    return `${pid} ${execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim()}`
  } catch {
    return null
  }
}
