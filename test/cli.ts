import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { newDatabase, tempDirectory, urlOf } from './harness.ts'

// Runs the real command line as a child process.

const MAIN = fileURLToPath(new URL('../cli/main.ts', import.meta.url))

interface Outcome {
  code: number
  stdout: string
  stderr: string
}

/** A minimal environment: settings of the test run must not leak in. */
export const runCli = (env: Record<string, string>, args: string[]): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    const { PATH = '', HOME = '' } = process.env
    const options = { env: { PATH, HOME, ...env }, maxBuffer: 1 << 26 }
    execFile(process.execPath, [MAIN, ...args], options, (error, stdout, stderr) => {
      if (error && typeof error.code !== 'number') reject(error)
      else resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr })
    })
  })

export const runJsonCli = async (env: Record<string, string>, args: string[]) => {
  const { code, stdout, stderr } = await runCli(env, [...args, '--json'])
  assert.equal(stderr, '')
  assert.equal(code, 0)
  return JSON.parse(stdout)
}

/** A separate data directory and database, empty or migrated, for `gatehouse` to work on. */
export async function installation(options: { migrated?: true } = {}) {
  const database = await newDatabase(options.migrated ? {} : { empty: true })
  const dataDir = tempDirectory()
  const env = { GATEHOUSE_DATA_DIR: dataDir, DATABASE_URL: urlOf(database.owner) }
  return {
    ...database,
    dataDir,
    env,
    run: (...args: string[]) => runCli(env, args),
    runJson: (...args: string[]) => runJsonCli(env, args),
  }
}
