import pg from 'pg'

/** The driver's value serializer; missing from its types. */
const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } })
  .utils

/** SQL text with its values. Only the `sql` tag creates it, so a value can never become text. */
export class Sql {
  readonly text: string
  readonly values: unknown[]
  /** Set for statements with a constant text: each connection prepares them once. */
  readonly name: string | undefined

  constructor(text: string, values: unknown[], name?: string) {
    this.text = text
    this.values = values
    this.name = name
  }
}

const fixed = new WeakMap<TemplateStringsArray, { text: string; name: string }>()
let statements = 0

/**
 * Values become parameters; nested `sql` fragments are spliced in. A template without fragments has a constant text,
 * which is built once and prepared under a name.
 */
export function sql(strings: TemplateStringsArray, ...values: unknown[]): Sql {
  if (!values.some((value) => value instanceof Sql)) {
    let known = fixed.get(strings)
    if (!known) {
      const text = strings.reduce((text, part, at) => `${text}$${at}${part}`)
      known = { text, name: `s${++statements}` }
      fixed.set(strings, known)
    }
    return new Sql(known.text, values, known.name)
  }
  let text = strings[0]!
  const flat: unknown[] = []
  for (const [at, value] of values.entries()) {
    if (value instanceof Sql) {
      // Renumber the fragment's parameters after the ones already collected.
      text += value.text.replace(/\$(\d+)/g, (_, n: string) => `$${Number(n) + flat.length}`)
      flat.push(...value.values)
    } else {
      flat.push(value)
      text += `$${flat.length}`
    }
    text += strings[at + 1]
  }
  return new Sql(text, flat)
}

const names = new Map<string, string>()

/** Prepares a statement with fragments once per connection. Only for those with few different texts. */
export function prepared({ text, values }: Sql): Sql {
  let name = names.get(text)
  if (name === undefined) {
    name = `s${++statements}`
    names.set(text, name)
  }
  return new Sql(text, values, name)
}

export const empty: Sql = new Sql('', [])

/** An identifier from our own code, never from a request. */
export function identifier(name: string): Sql {
  if (!/^[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)?$/.test(name)) {
    throw new Error(`Not an SQL identifier: ${name}`)
  }
  return new Sql(name, [])
}

export function join(parts: Sql[], separator: ', ' | ' and ' | ' or ' | ' '): Sql {
  if (parts.length === 0) return empty
  const text: string[] = []
  const values: unknown[] = []
  for (const part of parts) {
    text.push(part.text.replace(/\$(\d+)/g, (_, n: string) => `$${Number(n) + values.length}`))
    values.push(...part.values)
  }
  return new Sql(text.join(separator), values)
}

/** For statements that take no parameters (SET, NOTIFY, DDL). */
export function literal(value: string): Sql {
  const escaped = value.replaceAll("'", "''")
  return new Sql(
    value.includes('\\') ? ` E'${escaped.replaceAll('\\', '\\\\')}'` : `'${escaped}'`,
    [],
  )
}

/** The statement with its values inlined, for COPY, which takes no parameters. */
export function inlined({ text, values }: Sql): string {
  const literals = values.map((value) => {
    const prepared = prepareValue(value)
    if (prepared === null || prepared === undefined) return 'null'
    const written = String(prepared)
    // It would truncate the statement.
    if (written.includes('\0')) throw new Error('U+0000 in a statement')
    return pg.escapeLiteral(written)
  })
  return text.replace(/\$(\d+)/g, (_, n: string) => literals[Number(n) - 1]!)
}
