import { dataOf } from '../../api/organization.ts'
import { download } from '../../ui/download.ts'
import type { Step } from './work.ts'

const NEW_LINE = 10

/** A file that comes as a whole: after a reload it is fetched anew. A line is about an event. */
export const exportEvents: Step = async (api, { input }, note) => {
  const { selection, format } = input as {
    selection: { service: string[]; start_time: string }
    format: 'csv' | 'ndjson'
  }
  const { count } = dataOf(await api.insights.POST('/v1/events/count', { body: selection }))
  note({ total: count, done: 0 })
  const { response } = await api.insights.POST('/v1/events/export', {
    body: { ...selection, sort: 'DESC', format },
    parseAs: 'stream',
  })
  const parts: BlobPart[] = []
  let lines = 0
  const reader = response.body!.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      parts.push(value)
      for (const byte of value) if (byte === NEW_LINE) lines++
      note({ done: Math.min(lines, count) })
    }
  } catch {
    return { finished: true, error: 'The connection was lost before the end. Export again.' }
  }
  const [, name = `events.${format}`] =
    /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '') ?? []
  const type = response.headers.get('content-type') ?? ''
  download(name, new Blob(parts, { type }))
  return { done: count, finished: true }
}
