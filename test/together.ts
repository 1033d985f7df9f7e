import { resolve } from 'node:path'
import { describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { shareApp } from './harness.ts'

/** Runs test files sequentially, each as a suite, with one shared application. */
export function runTogether(files: string[]): void {
  // Without an enclosing test the runner would end the process after the first file. The timeout of the
  // run is for one test, so this one gets the largest possible.
  test(`${files.length} files share an application`, { timeout: 2 ** 31 - 1 }, async () => {
    await shareApp()
    for (const file of files) await describe(file, () => import(pathToFileURL(resolve(file)).href))
  })
}
