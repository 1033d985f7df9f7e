import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { OperatorError } from '../server/platform/errors.ts'

/**
 * Installs packages of Debian that tests need, once on a machine. Where that cannot be, one line says what to do.
 * Several test files may ask at the same moment: apt waits for its own lock.
 */
export function installPackages(what: string, ...packages: string[]): void {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    throw new OperatorError(`${what} is needed: install the package ${packages.join(' ')}`)
  }
  const apt = (...args: string[]) =>
    execFileSync('apt-get', ['-qq', '-o', 'DPkg::Lock::Timeout=300', ...args], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      // Its chatter would hide the results; its complaints are wanted.
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
