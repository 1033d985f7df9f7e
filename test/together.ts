import { closeSync, openSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { after, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { Noted } from '../scripts/measure.ts'
import { codeOf } from '../server/platform/errors.ts'
import { closeProcessParts } from './process-parts.ts'

/** A file that hangs fails, by its name, and the next one begins. */
const MAX_FILE_MS = 300_000

const noteOf = (file: string) => join(process.env.TEST_NOTES!, encodeURIComponent(file))

/** Takes a file unless another process has: only one of them can create its note. */
function take(file: string): boolean {
  try {
    closeSync(openSync(noteOf(file), 'wx'))
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

/** The limit of a suite begins when its file is loaded. */
async function load(file: string): Promise<void> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => late.reject(new Error(`${file} was not loaded within ${MAX_FILE_MS / 1000} s`)),
    MAX_FILE_MS,
  )
  try {
    await Promise.race([import(pathToFileURL(resolve(file)).href), late.promise])
  } finally {
    clearTimeout(timer)
  }
}

async function run(file: string): Promise<void> {
  const began = performance.now()
  const cpuBefore = process.cpuUsage()
  await describe(file, { timeout: MAX_FILE_MS }, () => load(file))
  const { user, system } = process.cpuUsage(cpuBefore)
  const noted: Noted = { seconds: (performance.now() - began) / 1000, cpu: (user + system) / 1e6 }
  writeFileSync(noteOf(file), JSON.stringify(noted))
}

/** Runs test files that no other process has taken, one after the other, each as a suite. */
export function runTogether(files: string[]): void {
  // Without an enclosing test the runner would end the process after the first file. The timeout of the
  // run is for one test, so this one gets the largest possible.
  test('files of one process', { timeout: 2 ** 31 - 1 }, async () => {
    after(closeProcessParts)
    for (const file of files) if (take(file)) await run(file)
  })
}
