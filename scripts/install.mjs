// Runs on the system's Node (18 or newer) before anything else: installs missing or outdated dependencies.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { step } from './step.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const stamp = join(root, 'node_modules', '.installed')
const wanted = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .digest('hex')

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
  const npm = process.env.npm_execpath
  const [command, args] = npm ? [process.execPath, [npm]] : ['npm', []]
  const ci = [...args, 'ci', '--include=dev', '--include=optional', '--no-progress']
  if (!(await step('Installing dependencies (once)', command, ci, { cwd: root }))) {
    process.stderr.write('npm ci failed; see the lines above\n')
    process.exit(1)
  }
  writeFileSync(stamp, wanted)
}
