import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'

// Programs of other people that judge our output in tests: Debian's packages, installed once when they are missing.

const apt = (...args: string[]) =>
  // Two test files may want this at the same time.
  execFileSync('apt-get', ['-qq', '-o', 'DPkg::Lock::Timeout=300', ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'ignore', 'inherit'],
  })

/** Programs by their path, each with the package that brings it. */
export function needPrograms(packages: Record<string, string>): void {
  const missing = Object.entries(packages)
    .filter(([path]) => !existsSync(path))
    .map(([, name]) => name)
  if (missing.length === 0) return
  const names = missing.join(' ')
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get'))
    throw new Error(
      `These tests need the packages ${names}; install them, or run as root on Debian`,
    )
  const install = () => apt('install', '--yes', '--no-install-recommends', ...missing)
  try {
    install()
  } catch {
    apt('update')
    install()
  }
}
