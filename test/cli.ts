import assert from 'node:assert/strict'
import { type ChildProcess, execFile, fork } from 'node:child_process'
import { on } from 'node:events'
import { fileURLToPath } from 'node:url'
import { newDatabase, tempDirectory, urlOf } from './database.ts'

// Runs the command line. `runCli` starts a process, which loads the whole service. `callCli` sends the call to a process
// that runs all calls of the test process in turn. Every verb also succeeds once in a process, which must end by itself.

const MAIN = fileURLToPath(new URL('../cli/main.ts', import.meta.url))

export interface Call {
  env: Record<string, string>
  args: string[]
}

export interface Outcome {
  code: number
  stdout: string
  stderr: string
}

/** A minimal environment: settings of the test run must not leak in. */
const minimal = (env: Record<string, string>): Record<string, string> => {
  const { PATH = '', HOME = '' } = process.env
  return { PATH, HOME, ...env }
}

export const runCli = (env: Record<string, string>, args: string[]): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    const options = { env: minimal(env), maxBuffer: 1 << 26 }
    execFile(process.execPath, [MAIN, ...args], options, (error, stdout, stderr) => {
      if (error && typeof error.code !== 'number') reject(error)
      else resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr })
    })
  })

let host: ChildProcess | undefined
let outcomes: AsyncIterator<[Outcome]>
let calls: Promise<unknown> = Promise.resolve()

async function callHost(call: Call): Promise<Outcome> {
  if (!host) {
    host = fork(new URL('./cli-host.ts', import.meta.url), { execArgv: [] })
    outcomes = on(host, 'message', { close: ['exit'] }) as typeof outcomes
  }
  // Between calls it does not keep this process alive, and ends with it.
  host.ref()
  host.channel!.ref()
  host.send(call)
  const { value, done } = await outcomes.next()
  host.unref()
  host.channel?.unref()
  if (done) throw new Error('The process of callCli has ended')
  return value[0]
}

export function callCli(env: Record<string, string>, args: string[]): Promise<Outcome> {
  const call = calls.then(() => callHost({ env: minimal(env), args }))
  calls = call.catch(() => {})
  return call
}

function parsed({ code, stdout, stderr }: Outcome) {
  assert.equal(stderr, '')
  assert.equal(code, 0)
  return JSON.parse(stdout)
}

export const runJsonCli = async (env: Record<string, string>, args: string[]) =>
  parsed(await runCli(env, [...args, '--json']))

/** A separate data directory and database, empty or migrated, for `gatehouse` to work on. */
export async function installation(options: { migrated?: true } = {}) {
  const database = await newDatabase(options.migrated ? {} : { empty: true })
  const dataDir = tempDirectory()
  const env = { GATEHOUSE_DATA_DIR: dataDir, DATABASE_URL: urlOf(database.owner) }
  return {
    ...database,
    dataDir,
    env,
    run: (...args: string[]) => callCli(env, args),
    runJson: async (...args: string[]) => parsed(await callCli(env, [...args, '--json'])),
  }
}
