const LENGTH = 1_000_000
/** Of the many combinations: quadratic time still is minutes. */
const SHORTER = 300_000

const SIGNS = [...' "\'([{<>&\\a1,;:./=-_%#@*|?\0\n\rÄ']
/** Each two of which alternate. */
const PAIRED = [' ', '\n', '"', '\\', 'a', '<', ',', ':']
const PAIRS = PAIRED.flatMap((one, at) => PAIRED.slice(at + 1).map((other) => one + other))

/** By their name in a message. */
export function* longTexts(): Generator<[name: string, text: string]> {
  for (const unit of SIGNS) yield [JSON.stringify(unit), unit.repeat(LENGTH)]
  for (const unit of PAIRS) yield [JSON.stringify(unit), unit.repeat(SHORTER / unit.length)]
  // Where they can neither be trimmed nor match to the end.
  for (const unit of SIGNS)
    yield [`${JSON.stringify(unit)} between letters`, `a${unit.repeat(SHORTER)}b`]
}
