import { invalid, unavailable } from '../platform/errors.ts'
import { SourceFailure } from './sources/failures.ts'
import type { Source, SourceRecord } from './sources/source.ts'

const DEADLINE_MS = 60_000

/** Reads while somebody waits for the answer. Ends when `take` has enough; returns whether all was read. */
export async function readWithin(
  source: Source,
  query: string,
  take: (record: SourceRecord) => 'more' | 'enough',
): Promise<boolean> {
  const signal = AbortSignal.timeout(DEADLINE_MS)
  try {
    for await (const records of source.read({ signal, ...(query !== '' && { query }) }))
      for (const record of records) if (take(record) === 'enough') return false
    return true
  } catch (error) {
    if (!signal.aborted) throw error
    throw new SourceFailure('transient', `The source takes longer than ${DEADLINE_MS / 1000} s`)
  }
}

/** The first records, without reading on. */
export async function firstRecords(
  source: Source,
  limit: number,
  query = '',
): Promise<SourceRecord[]> {
  const records: SourceRecord[] = []
  await readWithin(source, query, (record) => {
    records.push(record)
    return records.length < limit ? 'more' : 'enough'
  })
  return records
}

/** The failure of a source as the answer to a request. */
export async function forCaller<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof SourceFailure)) throw error
    throw error.kind === 'transient'
      ? unavailable('source_unavailable', error.message)
      : invalid('source_failed', error.message)
  }
}
