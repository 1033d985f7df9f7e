import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { apiOf } from '../../api/organization.ts'
import { counted } from '../../ui/number.ts'
import { notifyFailure } from '../notices.tsx'
import { csrfToken } from '../session.ts'
import type { ListDeclaration } from './list-declaration.ts'
import { PAGE, type useRows } from './use-rows.ts'

/** As many as a bulk request of the API may name. */
const MAX = 10_000

interface Props<T> {
  list: ListDeclaration<T>
  rows: ReturnType<typeof useRows<T>>
  selected: ReadonlySet<string>
  select: (ids: ReadonlySet<string>) => void
}

/** For those below the first page: reads the ids of all rows that match. */
export function SelectAll<T>({ list, rows, selected, select }: Props<T>) {
  const { first, query, organization } = rows
  const [read, setRead] = useState(0)
  const selecting = useMutation({
    mutationFn: async () => {
      const api = apiOf({ organization, csrfToken, onCall: () => {} })
      const ids = new Set<string>()
      for (let skip = 0; skip < MAX; skip += PAGE) {
        const page = await list.load(api, { ...query, limit: PAGE, skip })
        for (const row of page.rows) ids.add(list.idOf(row))
        setRead(ids.size)
        if (page.rows.length < PAGE) break
      }
      return ids
    },
    onSuccess: select,
    onError: notifyFailure,
  })
  const total = first.data?.total ?? 0
  const page = first.data?.rows ?? []
  const firstPage = page.every((row) => selected.has(list.idOf(row)))
  if (!firstPage || selected.size >= Math.min(total, MAX)) return null
  const all =
    total > MAX
      ? `the first ${counted(MAX, list.one, list.many)}`
      : `all ${counted(total, list.one, list.many)}`
  return (
    <Button
      size="xs"
      variant="subtle"
      disabled={selecting.isPending}
      onClick={() => selecting.mutate()}
    >
      {selecting.isPending ? `${counted(read, list.one, list.many)}…` : `Select ${all}`}
    </Button>
  )
}
