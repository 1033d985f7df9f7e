import { open, rename, rm } from 'node:fs/promises'
import { command } from './command.ts'
import { writeOut } from './events-line.ts'
import {
  FILTER,
  readSelection,
  readTarget,
  type Selection,
  TARGET,
  TIMES,
} from './events-options.ts'
import { eventPages } from './events-pages.ts'
import { progressLine } from './output.ts'

/** Small enough that memory stays flat, large enough that requests do not count. */
const PAGE_SIZE = 2000

type Write = (text: string) => Promise<void>

/** The file appears when it is whole; until then, and after a failure, there is none of that name. */
async function writeFile(file: string, work: (write: Write) => Promise<void>): Promise<void> {
  const partial = `${file}.partial`
  // Audit events are nobody else's business.
  const handle = await open(partial, 'w', 0o600)
  try {
    await work((text) => handle.appendFile(text))
    await handle.sync()
    await handle.close()
    await rename(partial, file)
  } catch (error) {
    await handle.close().catch(() => {})
    await rm(partial, { force: true })
    throw error
  }
}

export const exportEvents = command({
  about: 'Writes all events that match into FILE, one JSON document per line; - is stdout.',
  operands: ['FILE'],
  options: { ...TARGET, ...FILTER, ...TIMES },
  notes: ['FILE appears when it is complete; until then it is called FILE.partial.'],
  async run({ options, operands }) {
    const [file] = operands as [string]
    const target = readTarget(options)
    const selection: Selection = readSelection(options)
    const progress = progressLine()
    let count = 0
    const copy = async (write: Write): Promise<void> => {
      const paging = { sort: 'ASC', limit: Number.POSITIVE_INFINITY, pageSize: PAGE_SIZE } as const
      for await (const events of eventPages(target, selection, paging)) {
        await write(events.map((event) => `${JSON.stringify(event)}\n`).join(''))
        count += events.length
        progress.show(`${count} events, up to ${events.at(-1)?.timestamp ?? 'now'}`)
      }
    }
    await (file === '-' ? copy(writeOut) : writeFile(file, copy)).finally(progress.done)
    if (file !== '-') process.stdout.write(`${file}: ${count} events.\n`)
  },
})
