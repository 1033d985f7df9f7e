import { resolve } from 'node:path'
import { describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { shareApp } from './harness.ts'

/** Runs test files one after the other, each as a suite, with one application for all of them. */
export function runTogether(files: string[]): void {
  // Without a test around them the runner would end the process after the first file. The time
  // limit of the run is for one test, so this one has the largest that timers know instead.
  test(`${files.length} files share an application`, { timeout: 2 ** 31 - 1 }, async () => {
    await shareApp()
    for (const file of files) await describe(file, () => import(pathToFileURL(resolve(file)).href))
  })
}
