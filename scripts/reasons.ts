import { globSync, readFileSync } from 'node:fs'
import type { ErrorKind } from '../server/platform/errors.ts'
import { FRAMEWORK_REASONS, STATUS } from '../server/platform/http/errors.ts'

/** The functions of platform/errors.ts. */
const KINDS: Record<string, ErrorKind> = {
  invalid: 'invalid',
  unauthenticated: 'unauthenticated',
  forbidden: 'forbidden',
  notFound: 'not_found',
  conflict: 'conflict',
  precondition: 'precondition',
  throttled: 'throttled',
  unavailable: 'unavailable',
}
const MAKERS = Object.keys(KINDS).join('|')

/** A helper such as `const bad = (reason: string, …) => invalid(reason, …)`: its calls name reasons as well. */
const HELPER = new RegExp(
  `const (\\w+) = \\(reason: string\\b[^=]*=>\\s*(${MAKERS})\\(reason\\b`,
  'g',
)
const IMPORT = /import \{([^}]*)\} from '[./]+(?:platform\/)?errors\.ts'/g
/** Passed on from another error, which is found where it is created. */
const HANDED_ON = new Set(['reason', 'error.reason'])

interface Use {
  reason: string
  status: number
  /** The folder below server/. */
  where: string
}

function usesIn(file: string): Use[] {
  const text = readFileSync(file, 'utf8')
  const imported = [...text.matchAll(IMPORT)].flatMap(([, names = '']) => names.split(/\W+/))
  const makers = new Map(Object.entries(KINDS).filter(([name]) => imported.includes(name)))
  for (const [, name = '', maker = ''] of text.matchAll(HELPER)) makers.set(name, KINDS[maker]!)
  const where = /^server\/(platform\/[^/.]+(?=\/)|[^/]+)/.exec(file)![1]!
  return [...makers].flatMap(([maker, kind]) => {
    const calls = text.matchAll(new RegExp(`(?<![\\w.])${maker}\\(\\s*([^\\s,]+),`, 'g'))
    return [...calls].flatMap(([, first = '']) => {
      if (HANDED_ON.has(first)) return []
      const reason = /^'([a-z][a-z0-9_]*)'$/.exec(first)?.[1]
      if (reason === undefined)
        throw new Error(`${file}: write the reason of an error as a literal, not ${first}`)
      return { reason, status: STATUS[kind], where }
    })
  })
}

/** All error reasons, in alphabetical order. */
export function collectReasons(): { reason: string; statuses: number[]; where: string[] }[] {
  const refusedEarly = [['400', 'validation'], ...Object.entries(FRAMEWORK_REASONS)]
  const uses = [
    ...refusedEarly.map(([status, reason = '']) => ({
      reason,
      status: Number(status),
      where: 'platform/http',
    })),
    ...globSync('server/**/*.ts')
      .filter((file) => !file.endsWith('.test.ts'))
      .flatMap(usesIn),
  ]
  const sorted = <T>(values: T[]): T[] => [...new Set(values)].sort()
  const byReason = Map.groupBy(uses, ({ reason }) => reason)
  return sorted([...byReason.keys()]).map((reason) => ({
    reason,
    statuses: sorted(byReason.get(reason)!.map(({ status }) => status)),
    where: sorted(byReason.get(reason)!.map(({ where }) => where)),
  }))
}
