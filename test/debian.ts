import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { OperatorError } from '../server/platform/errors.ts'

/**
 * Installs Debian packages that tests need, once per machine. If that fails, one line says what to do. Test files
 * may call it concurrently: apt waits for its own lock.
 */
export function installPackages(what: string, ...packages: string[]): void {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    throw new OperatorError(`${what} is needed: install the package ${packages.join(' ')}`)
  }
  const apt = (...args: string[]) =>
    execFileSync('apt-get', ['-qq', '-o', 'DPkg::Lock::Timeout=300', ...args], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      // Hide its output, which would bury the results, but show its errors.
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  const install = () => apt('install', '--yes', '--no-install-recommends', ...packages)
  process.stderr.write(`Installing ${what} (once) …\n`)
  try {
    install()
  } catch {
    apt('update')
    install()
  }
}
