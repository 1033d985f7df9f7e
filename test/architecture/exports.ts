import { exportsOf, FILES, IMPORTS } from './source.ts'

/** Exports for external users, or for files that scripts/test.ts writes. */
const PUBLISHED = /^client\/|^test\/together\.ts$/

const sliceOf = (file: string): string | undefined =>
  /^server\/(?!platform\/)(\w+)\//.exec(file)?.[1]
const isDoor = (file: string): boolean => sliceOf(file) !== undefined && file.endsWith('/index.ts')

/** `file: name` for each unused export; an index.ts must be used outside its slice. */
export function unusedExports(): string[] {
  const foreign = IMPORTS.filter(({ from, to }) => !(isDoor(to) && sliceOf(from) === sliceOf(to)))
  const used = new Set(
    foreign.flatMap(({ to, names = ['*'] }) => names.map((name) => `${to}: ${name}`)),
  )
  return FILES.filter((file) => !PUBLISHED.test(file) && !used.has(`${file}: *`))
    .flatMap((file) => exportsOf(file).map((name) => `${file}: ${name}`))
    .filter((name) => !used.has(name))
}
