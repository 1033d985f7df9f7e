/** Keyset iteration over ids: changes made by `work` do not shift pages. */
export async function eachId(
  readAfter: (after: string) => Promise<{ id: string }[]>,
  work: (id: string) => Promise<void>,
): Promise<void> {
  for (let after = ''; ; ) {
    const page = await readAfter(after)
    for (const { id } of page) await work(id)
    const last = page.at(-1)
    if (!last) return
    after = last.id
  }
}
