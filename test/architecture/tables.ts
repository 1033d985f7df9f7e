import { globSync, readFileSync } from 'node:fs'
import { FILES, textOf } from './source.ts'

interface Access {
  /** The slice that writes it; more than one needs an explanation in the list. */
  writers: string[]
  /** Slices that read it and do not write it. */
  readers: string[]
}

const CREATED = /create (?:unlogged )?table (?:if not exists )?(\w+)/gi
const DROPPED = /^drop table (\w+)/gim
const WRITTEN = /\b(?:insert into|update|delete from)\s+(\w+)/gi
const READ = /\b(?:from|join|using)\s+(?:lateral\s+)?(\w+(?:(?:\s+\w+)?,\s*\w+)*)/gi
/** A table passed to a paging function. */
const NAMED = /sql`(\w+)(?:\s+\w+)?`/g

const inMigrations = (pattern: RegExp): string[] =>
  globSync('migrations/*.sql').flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(pattern)].map(([, name = '']) => name),
  )
const dropped = inMigrations(DROPPED)
const tables = inMigrations(CREATED).filter((name) => !dropped.includes(name))

const ownerOf = (file: string): string => file.split('/')[1]!
const withoutComments = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '')

/** Tables that the SQL in a file writes and reads. */
function touchedBy(file: string): { written: Set<string>; read: Set<string> } {
  const text = withoutComments(textOf(file))
  const found = (pattern: RegExp) =>
    new Set([...text.matchAll(pattern)].flatMap(([, names = '']) => names.split(/\W+/)))
  return { written: found(WRITTEN), read: new Set([...found(READ), ...found(NAMED)]) }
}

/** Who writes and reads each table, from the SQL of the server; `platform` counts as one slice. */
export function tableAccess(): Record<string, Access> {
  const files = FILES.filter(
    (file) => file.startsWith('server/') && !file.endsWith('.test.ts') && /sql`/.test(textOf(file)),
  ).map((file) => ({ owner: ownerOf(file), ...touchedBy(file) }))
  const owners = (kind: 'written' | 'read', table: string) =>
    new Set(files.filter((file) => file[kind].has(table)).map(({ owner }) => owner))
  return Object.fromEntries(
    tables.sort().map((table) => {
      const writers = owners('written', table)
      const readers = [...owners('read', table)].filter((slice) => !writers.has(slice))
      return [table, { writers: [...writers].sort(), readers: readers.sort() }]
    }),
  )
}

/** A line for each table: `table: writers` or `table: writers | readers`. */
export const tableLines = (): string =>
  Object.entries(tableAccess())
    .map(([table, { writers, readers }]) =>
      [`${table}: ${writers.join(', ')}`, ...(readers.length ? [readers.join(', ')] : [])].join(
        ' | ',
      ),
    )
    .map((line) => `${line}\n`)
    .join('')

// node test/architecture/tables.ts > test/architecture/tables.txt
if (import.meta.main) process.stdout.write(tableLines())
