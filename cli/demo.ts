import { join } from 'node:path'
import { command } from './command.ts'
import { print } from './output.ts'
import { withRuntime } from './runtime.ts'

export const verb = command({
  about: 'Loads the demo data once and writes demo-credentials.json into the data directory.',
  json: true,
  run: ({ json }) =>
    withRuntime(
      async (runtime, { publicUrl: baseUrl, dataDir }) => {
        const { loadDemo } = await import('../demo/index.ts')
        const progress = (line: string) => process.stderr.write(`${line}\n`)
        const result = await loadDemo(runtime, { baseUrl, dataDir, progress })
        const credentials = join(dataDir, 'demo-credentials.json')
        print(json, { loaded: result === 'loaded', credentials }, () => [
          result === 'loaded' ? 'The demo data is loaded.' : 'The demo data is already there.',
          `Its passwords and keys are in ${credentials}`,
        ])
      },
      { create: true },
    ),
})
