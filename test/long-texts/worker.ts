import { parentPort } from 'node:worker_threads'
import { PARSERS } from './parsers.ts'
import { longTexts } from './texts.ts'

/** Before each text, so that the one that takes forever is known. */
const tell = (parser: string, text: string | null) => parentPort!.postMessage({ parser, text })

for (const [parser, parse] of Object.entries(PARSERS)) {
  for (const [name, text] of longTexts()) {
    tell(parser, name)
    try {
      await parse(text)
    } catch (error) {
      // A refusal is an answer, too much of a recursion is none.
      if (error instanceof RangeError) throw new Error(`${parser}: ${name}`, { cause: error })
    }
  }
  tell(parser, null)
}
parentPort!.close()
