// Runs on the system's Node (18 or newer), after install.mjs: builds web/dist when its sources have changed.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { step } from './step.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const web = join(root, 'web')
const dist = join(web, 'dist')

const filesBelow = (folder) =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name.startsWith('dist') ? [] : filesBelow(path)
    return [path]
  })

/** Files that the pages use from elsewhere; of all others they import types only. */
const FOREIGN = ['client/index.ts', 'server/portal/continue.ts', 'server/users/passwords/checks.ts']

function hashOfSources() {
  const files = [...filesBelow(web), ...FOREIGN.map((path) => join(root, path))].sort()
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')))
  for (const file of files) hash.update(file.slice(root.length)).update(readFileSync(file))
  return hash.digest('hex')
}

/** For tests: files that are compressed less well, in a fiftieth of the time. */
const quick = process.argv.includes('--quick')
const params = { [constants.BROTLI_PARAM_QUALITY]: quick ? 5 : constants.BROTLI_MAX_QUALITY }

/** Compressed once here instead of for every response. */
function compress(folder) {
  for (const file of filesBelow(folder).filter((path) => /\.(js|css|svg)$/.test(path))) {
    const content = readFileSync(file)
    writeFileSync(`${file}.br`, brotliCompressSync(content, { params }))
    writeFileSync(`${file}.gz`, gzipSync(content))
  }
}

/** Another process may be building at the same time; either result is fine. */
function swap(fresh) {
  const old = `${fresh}-old`
  try {
    if (existsSync(dist)) renameSync(dist, old)
    renameSync(fresh, dist)
  } catch (error) {
    if (!existsSync(dist)) throw error
  }
  for (const folder of [old, fresh]) rmSync(folder, { recursive: true, force: true })
}

async function build(wanted) {
  const own = join(root, 'node_modules/.bin/node')
  // Build beside the old folder and swap at the end: a running service sees one or the other.
  const fresh = `${dist}-${process.pid}`
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  for (const face of ['portal', 'console']) {
    const done = await step(
      `Building the ${face} (after each change)`,
      existsSync(own) ? own : process.execPath,
      [vite, 'build', web, '--mode', face, '--outDir', fresh, '--logLevel', 'warn'],
      { cwd: root },
    )
    if (!done) {
      rmSync(fresh, { recursive: true, force: true })
      return false
    }
  }
  compress(fresh)
  writeFileSync(join(fresh, '.sources'), quick ? `${wanted} quick` : wanted)
  swap(fresh)
  return true
}

const stamp = join(dist, '.sources')
const wanted = hashOfSources()
const built = existsSync(stamp) ? readFileSync(stamp, 'utf8') : ''
if (built !== wanted && !(quick && built === `${wanted} quick`)) {
  if (!(await build(wanted))) {
    process.stderr.write('Building the web pages failed; see the lines above\n')
    process.exit(1)
  }
}
