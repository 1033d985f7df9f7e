// Runs on the system's Node (18 or newer) before anything else: installs missing or outdated dependencies.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const stamp = join(root, 'node_modules', '.installed')
const wanted = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .digest('hex')

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
  process.stderr.write('Installing dependencies (once, about half a minute) …\n')
  const npm = process.env.npm_execpath
  const [command, args] = npm ? [process.execPath, [npm]] : ['npm', []]
  const { status } = spawnSync(command, [...args, 'ci', '--include=dev', '--include=optional'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  })
  if (status !== 0) {
    process.stderr.write('npm ci failed; see the lines above\n')
    process.exit(1)
  }
  writeFileSync(stamp, wanted)
}
