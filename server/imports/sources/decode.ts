import { codeOf } from '../../platform/errors.ts'
import { SourceFailure } from './failures.ts'

/** A byte order mark is more reliable than what a header or a setting says. */
const MARKS: [charset: string, mark: number[]][] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
]
const MARK_BYTES = 3

const marked = (start: Uint8Array): string | undefined =>
  MARKS.find(([, mark]) => mark.every((byte, at) => start[at] === byte))?.[0]

function decoderFor(charset: string): TextDecoder {
  try {
    // Removes the byte order mark.
    return new TextDecoder(charset, { fatal: true })
  } catch (error) {
    throw new SourceFailure('misconfigured', `The charset ${charset} is unknown`, { cause: error })
  }
}

/** The text of a body as it arrives. A byte that is wrong in its charset fails: guessing would change names unnoticed. */
export async function* decode(
  body: AsyncIterable<Uint8Array>,
  charset: string,
): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined
  let start: Uint8Array = new Uint8Array()
  let bytes = 0
  const text = (chunk?: Uint8Array): string => {
    try {
      return chunk ? decoder!.decode(chunk, { stream: true }) : decoder!.decode()
    } catch (error) {
      if (codeOf(error) !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw error
      const message = `The data is not valid ${decoder!.encoding} (within the first ${bytes} bytes)`
      throw new SourceFailure('rejected', message, { cause: error })
    }
  }
  for await (const chunk of body) {
    bytes += chunk.length
    if (decoder) {
      yield text(chunk)
      continue
    }
    start = Buffer.concat([start, chunk])
    if (start.length < MARK_BYTES) continue
    decoder = decoderFor(marked(start) ?? charset)
    yield text(start)
  }
  if (!decoder) {
    decoder = decoderFor(marked(start) ?? charset)
    yield text(start)
  }
  yield text()
}
