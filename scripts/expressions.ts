import { globSync, readFileSync } from 'node:fs'
import { analyse } from 'scslre'
import ts from 'typescript'

// Refuses regular expressions whose time may grow faster than their text: one text of a tenant then holds the process
// for everybody. Found are those that one repeated character makes slow; test/long-texts.test.ts tries the parsers.

/** Says on the line of an expression why it is harmless: its text is short, or the finding is wrong. */
const EXCEPTION = /\/\/ (?:bounded|linear): \S/

type Literal = { source: string; flags: string }

/** Undefined if the node is no expression, null if its text is not known before it runs. */
function expressionAt(node: ts.Node): Literal | null | undefined {
  if (ts.isRegularExpressionLiteral(node)) {
    const end = node.text.lastIndexOf('/')
    return { source: node.text.slice(1, end), flags: node.text.slice(end + 1) }
  }
  const text = (value: ts.Node | undefined, flags: string) =>
    value && ts.isStringLiteralLike(value) ? { source: value.text, flags } : null
  if (ts.isNewExpression(node) && node.expression.getText() === 'RegExp') {
    return text(node.arguments?.[0], '')
  }
  // Of a schema.
  if (ts.isPropertyAssignment(node) && node.name.getText() === 'pattern')
    return text(node.initializer, 'u')
  return undefined
}

function slowness(literal: Literal | null): string | undefined {
  if (literal === null) return 'is composed'
  const [report] = analyse(literal).reports
  return report && `is slow where many of ${report.character.literal.source} follow each other`
}

/** One line for each expression that is not certain to take linear time. */
export function slowExpressions(file: string, text: string): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const lines = text.split('\n')
  const found: string[] = []
  const visit = (node: ts.Node) => {
    const expression = expressionAt(node)
    const lineOf = (at: number) => source.getLineAndCharacterOfPosition(at).line
    const [first, last] = [lineOf(node.getStart()), lineOf(node.end)]
    const isExcepted = lines.slice(first, last + 1).some((line) => EXCEPTION.test(line))
    const problem = expression !== undefined && !isExcepted && slowness(expression)
    if (problem) found.push(`${file}:${first + 1} ${node.getText()} ${problem}`)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

if (import.meta.main) {
  const files = globSync(['server/**/*.ts', 'cli/**/*.ts', 'lab/**/*.ts']).sort()
  const found = files
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) => slowExpressions(file, readFileSync(file, 'utf8')))
  if (found.length > 0) {
    process.stderr.write(
      `${found.join('\n')}\nA reason on its line allows one: // bounded: … or // linear: …\n`,
    )
    process.exit(1)
  }
}
