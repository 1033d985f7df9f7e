import { isAscii } from 'node:buffer'
import { type Column, codesOf, textAt, textStart, textsOf } from './column.ts'
import type { Mask } from './evaluate.ts'

/** A number as the database writes it, without an exponent. */
export function numberText(number: number): string {
  const text = String(number)
  const match = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text)
  if (!match) return text
  const [, sign = '', whole = '', fraction = '', power] = match
  const digits = whole + fraction
  const point = 1 + Number(power)
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  return `${sign}${digits.padEnd(point, '0')}`
}

/** Where each byte is a character, all texts are decoded at once: a call for each of them takes longer. */
function textReader(column: Column): (at: number) => string {
  if (!isAscii(column.texts)) return (at) => textAt(column, at)
  const all = column.texts.toString('latin1')
  return (at) => all.slice(textStart(column, at), column.textEnds[at]!)
}

function keyReader(column: Column): (code: number) => string {
  const text = textReader(column)
  const texts = textsOf(column)
  return (code) => {
    if (code <= texts) return text(code - 1)
    const number = column.numbers[code - 1 - texts]
    if (number !== undefined) return numberText(number)
    return String(code === texts + column.numbers.length + 2)
  }
}

/** Texts are slow: so many of them are a step. */
const VALUES_IN_STEP = 512

/** Adds how many of the chosen events have each value of the column; the elements of a list are values. */
export function* addValues(
  column: Column,
  mask: Mask,
  add: (key: string, count: number) => void,
): Generator<void, void> {
  const { codes, ends } = column
  const counts = new Uint32Array(codesOf(column))
  if (ends === null) {
    for (let at = 0; at < mask.length; at++) if (mask[at] === 1) counts[codes[at]!]!++
  } else {
    // The event that last had the value: a list may have it twice.
    const last = new Int32Array(counts.length).fill(-1)
    let at = 0
    for (let event = 0; event < mask.length; event++) {
      const end = ends[event]!
      for (; at < end; at++) {
        const code = codes[at]!
        if (mask[event] === 0 || last[code] === event) continue
        last[code] = event
        counts[code]!++
      }
    }
  }
  yield
  const keyOf = keyReader(column)
  for (let code = 1; code < counts.length; code++) {
    if (counts[code]! > 0) add(keyOf(code), counts[code]!)
    if (code % VALUES_IN_STEP === 0) yield
  }
}
