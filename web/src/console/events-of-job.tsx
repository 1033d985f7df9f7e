import { Text } from '@mantine/core'
import { printValue } from './insights/query/text.ts'
import { To } from './link.tsx'
import { useMay } from './organization.ts'

/** Every event of a job has its id. */
export function EventsOfJob({ id }: { id: string }) {
  const { read } = useMay()
  if (!read('insights')) return null
  return (
    <Text
      size="sm"
      component={To}
      to="insights"
      search={{ q: `correlation.id = ${printValue(id)}`, last: 'P90D' }}
      c="var(--gh-active-text)"
    >
      Search its events
    </Text>
  )
}
