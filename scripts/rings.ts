import { globSync } from 'node:fs'

// Which test files run when. The inner ring (`npm test`) is what a change needs, in minutes; the outer one is everything
// else: browsers, processes and kills, the authorization matrix, fuzz, the guide, the demo, most of the command line.

/** Beginnings of the paths of the outer ring; what follows a `!` is in the inner one all the same. */
const OUTER = [
  'cli/',
  '!cli/files',
  '!cli/installation',
  '!cli/main',
  'server/commands/agent',
  'server/imports/sources/memory',
  'server/insights/export/limits',
  'server/insights/ingest/limits',
  'server/insights/segments/damage',
  'server/insights/segments/tenants',
  'server/insights/stream/limits',
  'server/platform/operations',
  'server/sso/flood',
  'server/sso/messages/messages',
  'test/authorization-matrix',
  'test/authorization-provider',
  'test/browser/',
  '!test/browser/pages',
  'test/demo',
  'test/fuzz',
  'test/guide',
  'test/insights/following',
  'test/long-texts',
  'test/process/',
  '!test/process/first-start',
  'test/provisioning/dialects',
  'test/provisioning/guide',
  'test/provisioning/independent',
  'test/sso/node-saml',
  'test/sso/rotation',
]

/** In both rings: the outer one tries more seeds, and more rounds of each (test/effort.ts). */
const DEEPER = [
  'server/graph/reference',
  'test/imports/property',
  'test/insights/sealed-agreement',
  'test/insights/search-agreement',
  'test/provisioning/property',
]

/** Another PostgreSQL makes no difference to these: they have none, or a service with the embedded one. */
const NO_DATABASE = [
  'client/',
  'lab/',
  'test/browser/',
  'test/long-texts',
  'test/process/first-start',
  'test/process/full-disk',
  'test/process/leftovers',
  'test/process/outage',
  'test/process/recovery',
  'test/process/sealing-chaos',
  'test/process/shutdown',
  'test/process/start-failures',
  'test/process/surroundings',
  'test/process/terminal',
  'web/',
]

/** They start programs, which mostly wait, or change what is global: each has a process of its own. */
const ALONE = ['server/platform/operations', 'test/demo', 'test/process/']
/** Each of these folders has a process of its own, in which all files use the same program. */
const PROGRAMS = ['cli/', 'test/browser/']

const begins = (file: string, starts: readonly string[]) =>
  starts.some((start) => file.startsWith(start))

const isOuter = (file: string) =>
  begins(file, OUTER) &&
  !OUTER.some((start) => start.startsWith('!') && file.startsWith(start.slice(1)))

const allFiles = () =>
  globSync([
    'server/**/*.test.ts',
    'cli/**/*.test.ts',
    'client/**/*.test.ts',
    'lab/**/*.test.ts',
    'web/src/**/*.test.ts',
    'test/**/*.test.ts',
  ]).sort()

export type Ring = 'inner' | 'outer' | 'all'

/** The files of the ring; words find files in either. */
export function choose(words: readonly string[], ring: Ring): string[] {
  if (words.length > 0)
    return allFiles().filter((file) => words.some((word) => file.includes(word)))
  const isChosen = {
    inner: (file: string) => !isOuter(file),
    outer: (file: string) => isOuter(file) || begins(file, DEEPER),
    all: () => true,
  }[ring]
  return allFiles().filter(isChosen)
}

export const dependsOnDatabase = (file: string) => !begins(file, NO_DATABASE)
export const usesBrowser = (file: string) => file.startsWith('test/browser/')

/**
 * The files of each process, in the order in which the processes start. Loading the service takes longer than the tests
 * of most files: two processes take turns at most of them, and share one application each.
 */
export function processesOf(files: string[]): string[][] {
  const alone = files.filter((file) => begins(file, ALONE))
  const programs = PROGRAMS.map((start) => files.filter((file) => file.startsWith(start)))
  // The longest ones first: they are the tests across slices, last in the alphabet.
  const others = files.filter((file) => !begins(file, [...ALONE, ...PROGRAMS])).reverse()
  return [others, others.slice(0, -1), ...programs, ...alone.map((file) => [file])].filter(
    ({ length }) => length > 0,
  )
}
