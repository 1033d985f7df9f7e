import { readFileSync } from 'node:fs'

const SAMPLE_MS = 50

/** The resident memory of a process, now. */
export const residentMegabytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024

/** Watches the memory of a process from now on. */
export function peakMegabytes(pid: number) {
  const before = residentMegabytes(pid)
  let peak = before
  const timer = setInterval(() => {
    peak = Math.max(peak, residentMegabytes(pid))
  }, SAMPLE_MS)
  return {
    stop() {
      clearInterval(timer)
      return { before, peak }
    },
  }
}
