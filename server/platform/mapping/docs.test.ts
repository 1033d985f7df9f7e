import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { compileMapping } from './index.ts'
import { parsePath } from './paths.ts'
import * as schema from './schema.ts'

// What docs/mapping.md says is true.

const page = readFileSync(new URL('../../../docs/mapping.md', import.meta.url), 'utf8')
const sections = new Map(
  page.split(/^## /m).map((section) => [section.split('\n', 1)[0]!, section]),
)

/** The code in the first column of the table of a section. */
const firstColumn = (section: string): string[] =>
  [...sections.get(section)!.matchAll(/^\| (`.*?`) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code),
  )

const examples = [...sections].filter(([title]) => title.startsWith('Example'))

test('there are three examples', () => assert.equal(examples.length, 3))

for (const [title, text] of examples)
  test(title, () => {
    const [mapping, { record, groups }, result] = [...text.matchAll(/^```json\n(.*?)^```/gms)].map(
      ([, code = '']) => JSON.parse(code),
    )
    assert.deepEqual(compileMapping(mapping).evaluate(record, { groups }), { result, problems: [] })
  })

test('the tables list every expression and condition, in valid examples', () => {
  const expressions = firstColumn('Expressions').map((code) => JSON.parse(code))
  for (const value of expressions) compileMapping([{ target: 'x', value }])
  const forms = new Set(expressions.flatMap((expression) => Object.keys(expression)))
  assert.deepEqual(
    Object.keys(schema.EXPRESSIONS).filter((form) => !forms.has(form)),
    [],
  )
  for (const code of firstColumn('Conditions'))
    compileMapping([{ target: 'x', value: { constant: 1 }, when: JSON.parse(code) }])
  const text = sections.get('Conditions')!
  for (const word of [...schema.OPERATORS, ...Object.keys(schema.CONDITIONS)])
    assert.match(text, new RegExp(`["\`]${word}["\`]`), word)
})

test('the paths of the table are paths', () => {
  const paths = firstColumn('Paths')
  assert.ok(paths.length > 5)
  for (const path of paths) assert.ok(parsePath(path), path)
})

test('the limits are those of the code', () => {
  const figures = sections
    .get('Limits')!
    .replaceAll(',', '')
    .match(/\b\d+\b/g)!
    .map(Number)
  const { MAX_RULES, MAX_DEPTH, MAX_NODES, MAX_ITEMS } = schema
  const { MAX_PATH_LENGTH, MAX_TEXT_LENGTH, MAX_VALUE_LENGTH } = schema
  assert.deepEqual(figures.slice(0, 8), [
    MAX_RULES,
    MAX_DEPTH,
    MAX_NODES,
    MAX_ITEMS,
    MAX_PATH_LENGTH,
    MAX_TEXT_LENGTH,
    MAX_VALUE_LENGTH,
    MAX_ITEMS,
  ])
})
