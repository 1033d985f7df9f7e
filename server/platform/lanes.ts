async function* each<T>(items: AsyncIterable<T> | Iterable<T>): AsyncGenerator<T> {
  yield* items
}

/**
 * Handles the items, `count` at a time, each begun in its turn. After a failure no other is begun, and it is thrown once
 * those under way have ended.
 */
export async function inLanes<T>(
  count: number,
  items: AsyncIterable<T> | Iterable<T>,
  handle: (item: T) => Promise<void>,
): Promise<void> {
  // A lane that fails ends the iterator, and so the other lanes.
  const shared = each(items)
  const lane = async () => {
    for await (const item of shared) await handle(item)
  }
  const ends = await Promise.allSettled(Array.from({ length: count }, lane))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}
