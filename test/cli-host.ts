import { run } from '../cli/main.ts'
import type { Call, Outcome } from './cli.ts'

// Runs one command line after the other; see callCli in cli.ts.

const written = { stdout: '', stderr: '' }
for (const name of ['stdout', 'stderr'] as const) {
  process[name].write = (text: string | Uint8Array) => {
    written[name] += Buffer.from(text as Uint8Array).toString()
    return true
  }
}

process.on('message', async ({ env, args }: Call) => {
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  Object.assign(written, { stdout: '', stderr: '' })
  const code = await run(args)
  process.send!({ code, ...written } satisfies Outcome)
})
