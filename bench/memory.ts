import type { ChildProcess } from 'node:child_process'
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

/** With this flag a process reports its collections of garbage. */
export const TRACE_GC = '--trace-gc'

/**
 * The largest heap that was left by a full collection of garbage, of a process with `TRACE_GC`. What a job really holds:
 * resident memory tells above all how long V8 puts off a collection, which depends on the memory of the machine.
 */
export function liveMegabytes({ stdout }: ChildProcess) {
  let live = 0
  const read = (text: string) => {
    for (const [, left] of text.matchAll(/Mark-Compact .*? -> ([\d.]+) /g))
      live = Math.max(live, Number(left))
  }
  stdout!.on('data', read)
  return {
    stop() {
      stdout!.off('data', read)
      return live
    },
  }
}
