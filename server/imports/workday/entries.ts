import { invalid } from '../../platform/errors.ts'

const unreadable = (why: string) =>
  invalid('report_unreadable', `The report cannot be read: ${why}`)

const [QUOTE, BACKSLASH] = ['"', '\\']

/**
 * Splits the text of a report, {"Report_Entry": [{…}, …]}, into its entries. Only the text of the current one is kept,
 * and checked by JSON.parse; of the rest no more is understood than where it ends.
 */
class Splitter {
  #depth = 0
  #inString = false
  #escaped = false
  /** The last string at the top level. */
  #key = ''
  #inEntries = false
  /** Text of the entry or the key that began in an earlier chunk. */
  #parts: string[] = []
  /** Where it begins in this chunk; -1 outside. */
  #start = -1
  /** There is a list of entries. */
  found = false

  get complete(): boolean {
    return this.#depth === 0 && !this.#inString
  }

  *add(chunk: string): Generator<Record<string, unknown>> {
    for (let at = 0; at < chunk.length; at++) {
      const character = chunk[at]!
      if (this.#inString) this.#inside(character, chunk, at)
      else if (character === QUOTE) {
        this.#inString = true
        if (this.#depth === 1) this.#start = at + 1
      } else if (character === '{' || character === '[') this.#opened(character, at)
      else if (character === '}' || character === ']') {
        this.#depth--
        if (this.#depth === 1) this.#inEntries = false
        if (this.#depth === 2 && this.#start >= 0) yield parse(this.#taken(chunk, at + 1))
      }
      if (this.#depth === 0 && !'} \t\r\n'.includes(character))
        throw unreadable('it is not a JSON object; does its URL ask for format=json?')
    }
    if (this.#start < 0) return
    this.#parts.push(chunk.slice(this.#start))
    this.#start = 0
  }

  #inside(character: string, chunk: string, at: number): void {
    if (this.#escaped) this.#escaped = false
    else if (character === BACKSLASH) this.#escaped = true
    else if (character === QUOTE) {
      this.#inString = false
      if (this.#depth === 1) this.#key = this.#taken(chunk, at)
    }
  }

  #opened(bracket: string, at: number): void {
    this.#depth++
    if (this.#depth === 2 && bracket === '[' && this.#key === 'Report_Entry')
      this.#inEntries = this.found = true
    if (this.#depth === 3 && bracket === '{' && this.#inEntries) this.#start = at
  }

  #taken(chunk: string, end: number): string {
    const text = this.#parts.join('') + chunk.slice(this.#start, end)
    this.#parts = []
    this.#start = -1
    return text
  }
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text)
  } catch {
    throw unreadable('an entry is not valid JSON')
  }
}

/** The entries of a report, one at a time. Ends normally only when everything was read. */
export async function* readEntries(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<Record<string, unknown>> {
  // It removes a byte order mark, too.
  const decoder = new TextDecoder()
  const splitter = new Splitter()
  for await (const chunk of body) yield* splitter.add(decoder.decode(chunk, { stream: true }))
  if (!splitter.complete) throw unreadable('it is incomplete')
  if (!splitter.found) throw unreadable('it has no Report_Entry')
}
