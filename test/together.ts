import { closeSync, openSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { codeOf } from '../server/platform/errors.ts'
import { shareApp } from './harness.ts'

/** Takes a file unless another process has: only one of them can create the mark. */
function take(file: string): boolean {
  try {
    closeSync(openSync(join(process.env.TEST_TAKEN!, encodeURIComponent(file)), 'wx'))
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

/** Runs test files that no other process has taken sequentially, each as a suite, with one shared application. */
export function runTogether(files: string[]): void {
  // Without an enclosing test the runner would end the process after the first file. The timeout of the
  // run is for one test, so this one gets the largest possible.
  test('files that share an application', { timeout: 2 ** 31 - 1 }, async () => {
    await shareApp()
    for (const file of files)
      if (take(file)) await describe(file, () => import(pathToFileURL(resolve(file)).href))
  })
}
