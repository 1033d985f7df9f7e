import { Group, Text } from '@mantine/core'
import { number } from '../../ui/number.ts'
import { To, useAddress } from '../link.tsx'

/** Which rows of a list the address asks for. */
export function usePage(size: number) {
  const { page = '1' } = useAddress()
  return { limit: size, skip: (Math.max(1, Number(page) || 1) - 1) * size }
}

interface Props {
  /** The page it is on. */
  to: string
  size: number
  total: number
}

/** Leads to the other pages of a list within a tab. */
export function Pager({ to, size, total }: Props) {
  const address = useAddress()
  const { skip } = usePage(size)
  if (total <= size && skip === 0) return null
  const at = skip / size + 1
  const link = (page: number, label: string) => (
    <To to={to} search={{ ...address, page: String(page) }}>
      {label}
    </To>
  )
  return (
    <Group gap="md" fz="sm" component="nav" aria-label="Pages of the list">
      <Text size="sm" c="dimmed">
        {number.format(skip + 1)}–{number.format(Math.min(skip + size, total))} of{' '}
        {number.format(total)}
      </Text>
      {at > 1 && link(at - 1, 'Previous')}
      {skip + size < total && link(at + 1, 'Next')}
    </Group>
  )
}
