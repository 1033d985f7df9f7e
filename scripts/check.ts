import { spawnSync } from 'node:child_process'

/** Types, lint and format; the fast half of `npm test`. */
export function check(): boolean {
  const steps: [string, string[]][] = [
    ['types', ['node_modules/typescript/bin/tsc', '-p', '.']],
    ['types of web', ['node_modules/typescript/bin/tsc', '-p', 'web']],
    [
      'lint and format',
      ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'],
    ],
  ]
  return steps.every(([name, args]) => {
    const started = Date.now()
    const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' })
    process.stdout.write(
      `${name}: ${status === 0 ? 'ok' : 'failed'} (${((Date.now() - started) / 1000).toFixed(1)} s)\n`,
    )
    return status === 0
  })
}

if (import.meta.main) process.exit(check() ? 0 : 1)
