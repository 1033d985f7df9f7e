import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

export interface Started {
  child: ChildProcess
  /** The line that matched. */
  line: string
  stop(): Promise<void>
}

/** A Node process that prints a line when it is ready. Other output is discarded. */
export async function start(
  args: string[],
  ready: RegExp,
  env: Record<string, string> = {},
): Promise<Started> {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-4000)
  })
  const exited = once(child, 'exit')
  const line = await new Promise<string>((resolve, reject) => {
    let output = ''
    child.once('exit', (code) => reject(new Error(`${args.join(' ')} ended (${code}): ${errors}`)))
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      // Keep reading, or the process would block on a full pipe.
      if (ready.test(output)) return
      output += text
      if (ready.test(output)) resolve(output)
    })
  })
  const stop = async () => {
    child.kill('SIGTERM')
    await exited
  }
  return { child, line, stop }
}

/** A Node process that reads one JSON value, prints one JSON value and exits. */
export async function runJson<T>(script: string, input: unknown): Promise<T> {
  const child = spawn(process.execPath, [script], {
    cwd: root,
    env: { PATH: process.env.PATH },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.end(JSON.stringify(input))
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${script} ended with ${code}`)
  return JSON.parse(output) as T
}
