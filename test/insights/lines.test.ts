import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import type { Line } from '../../server/insights/ingest/ingest.ts'
import { readLines } from '../../server/insights/ingest/lines.ts'
import { DEFAULT_LIMITS } from '../../server/platform/limits.ts'
import { type Random, seeded } from './random.ts'

const MAX_LINE = DEFAULT_LIMITS.events.eventLength

/** The body in pieces, cut anywhere: also inside a character. */
function pieces(random: Random, body: Buffer, most: number): Buffer[] {
  const cuts = random.times(most, () => random.below(body.length + 1)).sort((a, b) => a - b)
  return [0, ...cuts].map((from, at) => body.subarray(from, cuts[at] ?? body.length))
}

async function read(chunks: Buffer[]): Promise<Line[]> {
  const lines: Line[] = []
  // Skip empty chunks, which would end this stream.
  const body = Readable.from(
    chunks.filter(({ length }) => length > 0),
    { objectMode: false },
  )
  for await (const some of readLines(body, MAX_LINE)) lines.push(...some)
  return lines
}

const TEXTS = [
  'é',
  '😀',
  '日本',
  '"',
  '\\',
  '\\"',
  '[',
  ']',
  '{',
  '}',
  ',',
  '\n',
  ' ',
  'a',
  '\u2028',
]
const SPACES = ['', '', ' ', '\n', '\r\n', '\n\n', '\t', ' \n ']

function element(random: Random): string {
  const text = () => random.times(6, () => random.pick(TEXTS)).join('')
  const value = random.pick<unknown>([
    { [text()]: text(), list: [text(), [1, { a: text() }], {}] },
    { a: null },
    text(),
    [text()],
    17,
    true,
  ])
  return JSON.stringify(value)
}

interface Body {
  text: string
  lines: Line[]
}

function ndjson(random: Random): Body {
  let text = random.pick(['', '\ufeff', ' ', '\n'])
  const lines: Line[] = []
  // A line that starts like an array would be parsed as one.
  for (const one of ['{}', ...random.times(12, () => element(random))]) {
    lines.push({ line: text.split('\n').length, text: one })
    text += `${one}${random.pick(['\n', '\r\n', ' \n', '\n\n'])}${random.pick(['', ' ', '\t'])}`
  }
  return { text: random.chance(0.5) ? text.trimEnd() : text, lines }
}

function array(random: Random, indent = false): Body {
  const space = () => random.pick(SPACES)
  let text = `${random.pick(['', '\ufeff', ' ', '\r\n'])}[`
  const lines: Line[] = []
  for (const one of random.times(12, () => element(random))) {
    text += `${lines.length > 0 ? ',' : ''}${space()}`
    const written = indent ? JSON.stringify(JSON.parse(one), null, 2) : one
    lines.push({ line: text.split('\n').length, text: written })
    text += `${written}${space()}`
  }
  return { text: `${text}]${space()}`, lines }
}

for (const [name, make] of [
  ['NDJSON', ndjson],
  ['an array', array],
  ['an indented array', (random: Random) => array(random, true)],
] as const) {
  test(`${name} gives the same lines and numbers, however it is split`, async () => {
    for (let seed = 0; seed < 300; seed++) {
      const random = seeded(seed)
      const { text, lines } = make(random)
      const body = Buffer.from(text)
      for (const most of [0, 5, 200])
        assert.deepEqual(await read(pieces(random, body, most)), lines, `seed ${seed}: ${text}`)
    }
  })
}

test('a line that is too long is reported by number, and later lines are kept', async () => {
  const text = (length: number) => JSON.stringify('é'.repeat(length - 2))
  const error = `longer than ${MAX_LINE} characters`
  const elements = ['{}', text(MAX_LINE), text(MAX_LINE + 1), '{"a":1}', '{"b":2}']
  const expected: Line[] = elements.map((one, at) =>
    at === 2 ? { line: 3, text: '', error } : { line: at + 1, text: one },
  )
  const bodies = [elements.join('\n'), `[${elements.join(',\n')}]`]
  // The line end before an element counts in an array, so the longest is one shorter there.
  const shorter = text(MAX_LINE - 1)
  bodies[1] = bodies[1]!.replace(elements[1]!, shorter)
  for (const [at, body] of bodies.entries()) {
    const lines = expected.with(1, { line: 2, text: at === 0 ? elements[1]! : shorter })
    for (let seed = 0; seed < 4; seed++) {
      const found = await read(pieces(seeded(seed), Buffer.from(body), seed * 10))
      // Not deepEqual on the whole: a difference would print megabytes.
      assert.deepEqual(
        found.map((line) => ({ ...line, text: line.text.length })),
        lines.map((line) => ({ ...line, text: line.text.length })),
        `seed ${seed}`,
      )
      assert.ok(found.every((line, n) => line.text === lines[n]!.text))
    }
  }
})

test('an empty body has no lines', async () => {
  for (const body of ['', '\n\n', ' ', '[]', '[ \n ]', '\ufeff'])
    assert.deepEqual(await read([Buffer.from(body)]), [], JSON.stringify(body))
})
