import type { Readable } from 'node:stream'
import type { Line } from './ingest.ts'

const isSpace = (code: number): boolean => code === 32 || (code >= 9 && code <= 13)

/**
 * Splits a body into events as it arrives, yielding those of each chunk: NDJSON by line ends, a JSON array by elements.
 * Memory holds one event and one chunk, however long the body is.
 */
export async function* readLines(body: Readable, eventLength: number): AsyncGenerator<Line[]> {
  let array: boolean | null = null
  let line = 1
  let start = 1
  let begun = false
  let depth = 0
  let quoted = false
  let escaped = false
  let text = ''
  let tooLong = false

  let done: Line[] = []
  const take = (): void => {
    const whole = text.trim()
    if (tooLong)
      done.push({ line: start, text: '', error: `longer than ${eventLength} characters` })
    else if (whole !== '') done.push({ line: start, text: whole })
    text = ''
    tooLong = false
  }

  for await (const chunk of body.setEncoding('utf8')) {
    const part = chunk as string
    let from = 0
    const keep = (to: number) => {
      if (text.length + (to - from) > eventLength) {
        tooLong = true
        text = ''
      } else if (!tooLong) text += part.slice(from, to)
    }
    for (let at = 0; at < part.length; at++) {
      const code = part.charCodeAt(at)
      if (code === 10) line++
      if (array === null) {
        // Some editors and exports start with a byte order mark.
        if (isSpace(code) || code === 0xfeff) continue
        array = code === 91
        start = line
        from = array ? at + 1 : at
        if (array) continue
      }
      if (array && !begun && !isSpace(code)) {
        begun = true
        start = line
      }
      if (!array) {
        if (code !== 10) {
          // Skip to the end of the line.
          const end = part.indexOf('\n', at)
          at = (end < 0 ? part.length : end) - 1
          continue
        }
        keep(at)
        take()
        from = at + 1
        start = line
      } else if (quoted) {
        if (escaped) escaped = false
        else if (code === 92) escaped = true
        else if (code === 34) quoted = false
      } else if (code === 34) quoted = true
      else if (code === 123 || code === 91) depth++
      else if (depth > 0 && (code === 125 || code === 93)) depth--
      else if (depth === 0 && (code === 44 || code === 93)) {
        keep(at)
        take()
        from = at + 1
        begun = false
      }
    }
    if (array !== null) keep(part.length)
    if (done.length > 0) yield done
    done = []
  }
  take()
  if (done.length > 0) yield done
}
