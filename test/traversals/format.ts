const WIDTH = 130
const CLAUSES =
  /^(with|select|from|where|union all|join|cross join|group by|order by|limit|offset|and)$/
const INDENTED = /^(join|cross join|and)$/

/** A word, or what stands between two parentheses. */
type Part = string | Part[]

function parse(text: string): Part[] {
  const root: Part[] = []
  const open = [root]
  for (const [token] of text.matchAll(
    /'[^']*'|[(),]|union all|cross join|group by|order by|[^\s(),']+/g,
  )) {
    if (token === '(') {
      const inner: Part[] = []
      open.at(-1)!.push(inner)
      open.push(inner)
    } else if (token === ')') open.pop()
    else open.at(-1)!.push(token)
  }
  return root
}

const isCall = (before: Part | undefined): boolean =>
  typeof before === 'string' && /^(json_\w+|count|sum|coalesce)$/.test(before)

/** Words apart from each other, but not from their comma, their cast and the arguments of their function. */
const glue = (before: Part | undefined, part: Part): string =>
  before === undefined ||
  part === ',' ||
  (typeof part === 'string' && part.startsWith('::')) ||
  (Array.isArray(part) && isCall(before))
    ? ''
    : ' '

const oneLine = (parts: Part[]): string =>
  parts
    .map(
      (part, at) => glue(parts[at - 1], part) + (Array.isArray(part) ? `(${oneLine(part)})` : part),
    )
    .join('')

const isQuery = (parts: Part[]): boolean => parts[0] === 'select' || parts[0] === 'with'

/** Lines of parts: a query has one for each clause, anything else, like lists and CTEs, one for each item or for each key with its value. */
function split(parts: Part[], inPairs: boolean): { lines: Part[][]; clauses: boolean } {
  const clauses = isQuery(parts)
  const lines: Part[][] = [[]]
  let inCtes = false
  let commas = 0
  for (const part of parts) {
    if (part === 'with') inCtes = true
    if (part === 'select') inCtes = false
    const breaks = clauses && typeof part === 'string' && CLAUSES.test(part)
    if (breaks && lines.at(-1)!.length > 0) lines.push([])
    lines.at(-1)!.push(part)
    if (part === ',') commas++
    if (part === ',' && (!clauses || inCtes) && !(inPairs && commas % 2 === 1)) lines.push([])
    if (part === 'with') lines.push([])
  }
  return { lines: lines.filter((line) => line.length > 0), clauses }
}

function write(parts: Part[], indent: string, inPairs = false): string {
  const flat = oneLine(parts)
  if (indent.length + flat.length <= WIDTH) return indent + flat
  const { lines, clauses } = split(parts, inPairs)
  if (lines.length > 1)
    return lines
      .map((line) => {
        const [first] = line
        const deeper = clauses && (typeof first !== 'string' || INDENTED.test(first))
        return write(line, deeper ? `${indent}  ` : indent, inPairs)
      })
      .join('\n')
  const inner = `${indent}  `
  if (clauses && parts[0] === 'select' && parts.includes(','))
    return `${indent}select\n${write(parts.slice(1), inner)}`
  return (
    indent +
    parts
      .map((part, at) => {
        const space = glue(parts[at - 1], part)
        if (!Array.isArray(part)) return space + part
        const whole = oneLine(part)
        return whole.length + indent.length < 60
          ? `${space}(${whole})`
          : `${space}(\n${write(part, inner, parts[at - 1] === 'json_build_object')}\n${indent})`
      })
      .join('')
  )
}

/** Generated SQL, laid out to be read: what fits stays on a line, a query has a line for each clause. */
export const formatSql = (text: string): string => `${write(parse(text), '')}\n`
