import { SimpleGrid, Skeleton, Text, Title } from '@mantine/core'
import type { Api } from '../../api/organization.ts'
import { type Search, To } from '../link.tsx'
import { useMay } from '../organization.ts'
import { useRead } from '../reads.ts'
import { failedSignIns, users } from './counts.ts'
import classes from './home.module.css'

interface Item {
  label: string
  scope: string
  count: (api: Api) => Promise<number>
  /** The list behind the number. */
  link?: { to: string; search: Search }
}

const ITEMS: Item[] = [
  {
    label: 'Locked users',
    scope: 'users',
    count: users(['account_locked:$eq:true']),
    link: { to: 'users', search: { locked: 'true' } },
  },
  {
    label: 'Expired passwords',
    scope: 'users',
    count: users(['password_expired:$eq:true']),
    link: { to: 'users', search: { expired: 'true' } },
  },
  {
    label: 'Active without a second factor',
    scope: 'users',
    count: users(['state:$eq:ACTIVATED', 'totp_enabled:$eq:false']),
    link: { to: 'users', search: { mfa: 'false', state: 'ACTIVATED' } },
  },
  { label: 'Failed sign-ins in 24 hours', scope: 'insights', count: failedSignIns },
]

const number = new Intl.NumberFormat('en')

function Count({ item }: { item: Item }) {
  const { data, error } = useRead(['home', item.label], item.count)
  const content = (
    <>
      <Text fz="1.75rem" fw={650} lh={1.2} component="div">
        {error ? '–' : data === undefined ? <Skeleton h={34} w={56} /> : number.format(data)}
      </Text>
      <Text size="sm" c="dimmed" component="div">
        {item.label}
      </Text>
    </>
  )
  return item.link ? (
    <To {...item.link} className={classes.card}>
      {content}
    </To>
  ) : (
    <div className={classes.card}>{content}</div>
  )
}

/** What may need somebody to act; each number leads to the list behind it. */
export function Attention() {
  const may = useMay()
  return (
    <section>
      <Title order={2} size="h4" mb="sm">
        Needs attention
      </Title>
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md">
        {ITEMS.filter(({ scope }) => may.read(scope)).map((item) => (
          <Count key={item.label} item={item} />
        ))}
      </SimpleGrid>
    </section>
  )
}
