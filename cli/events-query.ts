import { command, UsageError } from './command.ts'
import { eventLine, headLine, writeOut } from './events-line.ts'
import { FILTER, readSelection, readTarget, TARGET, TIMES } from './events-options.ts'
import { eventPages } from './events-pages.ts'

/** Maximum page size of the service. */
const LARGEST_PAGE = 10_000

export const query = command({
  about: 'Shows events; with --json one document per line.',
  options: {
    ...TARGET,
    ...FILTER,
    ...TIMES,
    limit: { type: 'string', value: 'N', about: 'Maximum number of events; 1000 by default' },
    sort: { type: 'string', value: 'ORDER', about: 'asc (oldest first, default) or desc' },
  },
  json: true,
  async run({ options, json }) {
    const { limit = '1000', sort = 'asc' } = options
    if (!/^[1-9]\d{0,8}$/.test(limit)) throw new UsageError('--limit must be a positive number')
    const order = sort.toUpperCase()
    if (order !== 'ASC' && order !== 'DESC') throw new UsageError('--sort must be asc or desc')
    const paging = { sort: order, limit: Number(limit), pageSize: LARGEST_PAGE } as const
    let heads = json ? '' : `${headLine()}\n`
    const selection = readSelection(options)
    for await (const events of eventPages(readTarget(options), selection, paging)) {
      const lines = events.map((event) => (json ? JSON.stringify(event) : eventLine(event)))
      await writeOut(`${heads}${lines.join('\n')}\n`)
      heads = ''
    }
    // Shows a user who forgot --since how far back it searched.
    if (heads !== '') process.stderr.write(`No matching events since ${selection.start_time}.\n`)
  },
})
