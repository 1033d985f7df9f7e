import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { AppError, codeOf, messageOf, OperatorError } from '../server/platform/errors.ts'
import { type Command, isCommand, parseCall, UsageError, type Verb } from './command.ts'
import { overview, verbHelp } from './help.ts'

// Caches the compiled code of modules loaded after this; without write access they are compiled at each start.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/gatehouse', import.meta.url)))

interface Entry {
  about: string
  /** Loaded lazily: `gatehouse help` need not wait for the whole service to load. */
  load: () => Promise<{ verb: Verb }>
}

const verbs: Record<string, Entry> = {
  serve: { about: 'Start the service', load: () => import('./serve.ts') },
  migrate: { about: 'Migrate the database', load: () => import('./migrate.ts') },
  admin: {
    about: 'List, create and suspend administrators, reset their credentials',
    load: () => import('./admin.ts'),
  },
  org: { about: 'List, create and delete organizations', load: () => import('./org.ts') },
  demo: { about: 'Load the demo data', load: () => import('./demo.ts') },
  keys: { about: 'Rotate encryption keys', load: () => import('./keys.ts') },
  backup: { about: 'Back up the database into one file', load: () => import('./backup.ts') },
  restore: { about: 'Restore a backup', load: () => import('./restore.ts') },
  import: { about: 'Import people from a file', load: () => import('./import.ts') },
  events: { about: 'Query, tail, import and export events', load: () => import('./events.ts') },
  jobs: { about: 'List jobs and retry failed ones', load: () => import('./jobs.ts') },
  mail: { about: 'Show recent mail', load: () => import('./mail.ts') },
  config: { about: 'Show the current settings', load: () => import('./config.ts') },
  lab: { about: 'Run a test peer, such as a service provider', load: () => import('./lab.ts') },
  version: { about: 'Print the version', load: () => import('./version.ts') },
}

const HELP = new Set(['help', '--help', '-h'])

function findCommand(name: string, verb: Verb, args: string[]): [string, Command, string[]] {
  if (isCommand(verb)) return [name, verb, args]
  const [sub, ...rest] = args
  const known = Object.keys(verb).join(', ')
  if (sub === undefined) throw new UsageError(`gatehouse ${name} needs one of: ${known}`)
  if (!Object.hasOwn(verb, sub))
    throw new UsageError(`Unknown verb "${name} ${sub}"; use one of: ${known}`)
  return [`${name} ${sub}`, verb[sub]!, rest]
}

async function main([name, ...args]: string[]): Promise<void> {
  if (name === undefined) throw new UsageError('A verb is missing; see gatehouse help')
  if (HELP.has(name) && (name !== 'help' || args.length === 0)) {
    process.stdout.write(overview(verbs))
    return
  }
  // `help backup` is `backup --help`.
  if (name === 'help') return main([...args, '--help'])
  if (name === '--version') return main(['version', ...args])
  if (!Object.hasOwn(verbs, name))
    throw new UsageError(`Unknown verb "${name}"; see gatehouse help`)
  const { verb } = await verbs[name]!.load()
  if (HELP.has(args[0] ?? '')) {
    process.stdout.write(verbHelp(name, verb))
    return
  }
  const [fullName, command, rest] = findCommand(name, verb, args)
  const call = parseCall(fullName, command, rest)
  if (call === null) process.stdout.write(verbHelp(fullName, command))
  else await command.run(call)
}

/** One line for errors that the user can fix; a stack trace only for bugs. */
function explain(error: unknown): string {
  const known =
    error instanceof OperatorError ||
    error instanceof AppError ||
    error instanceof UsageError ||
    codeOf(error) !== undefined
  if (known)
    return messageOf(error)
      .trim()
      .split(/\n\s*/)
      .map((line) => line.trimEnd())
      .join(' ')
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

/** Runs a command line and returns its exit code. */
export async function run(args: string[]): Promise<number> {
  try {
    await main(args)
    return 0
  } catch (error) {
    process.stderr.write(`gatehouse: ${explain(error)}\n`)
    return error instanceof UsageError ? 2 : 1
  }
}

if (import.meta.main) {
  // `gatehouse mail | head` closes the pipe early; that is not an error.
  process.stdout.on('error', (error) => process.exit(codeOf(error) === 'EPIPE' ? 0 : 1))
  const code = await run(process.argv.slice(2))
  if (code !== 0) process.exit(code)
}
