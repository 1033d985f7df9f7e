import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

/**
 * What was checked before and has not changed is not checked again. One checker: several would each resolve the types
 * that the files share, which takes twice the processor time.
 */
const types = (project: string, name: string): string[] => [
  'node_modules/typescript-checker/bin/tsc',
  '-p',
  project,
  '--checkers',
  '1',
  '--incremental',
  '--tsBuildInfoFile',
  `node_modules/.cache/types/${name}.json`,
]

/** Types, lint, format and regular expressions, side by side; the fast half of `npm test`. */
export async function check(): Promise<boolean> {
  const steps: [string, string[]][] = [
    ['types', types('.', 'service')],
    ['types of web', types('web', 'web')],
    ['regular expressions', ['scripts/expressions.ts']],
    [
      'lint and format',
      ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'],
    ],
  ]
  const results = await Promise.all(
    steps.map(async ([name, args]) => {
      const started = Date.now()
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
      const [[code], ...outputs] = await Promise.all([
        once(child, 'close'),
        text(child.stdout),
        text(child.stderr),
      ])
      const seconds = ((Date.now() - started) / 1000).toFixed(1)
      const result = `${name}: ${code === 0 ? 'ok' : 'failed'} (${seconds} s)\n`
      process.stdout.write(code === 0 ? result : outputs.join('') + result)
      return code === 0
    }),
  )
  return results.every(Boolean)
}

if (import.meta.main) process.exit((await check()) ? 0 : 1)
