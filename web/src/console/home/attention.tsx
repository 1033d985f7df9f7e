import { SimpleGrid, Skeleton, Text, Title } from '@mantine/core'
import { number } from '../../ui/number.ts'
import { Problem } from '../../ui/problem.tsx'
import { type Search, To } from '../link.tsx'
import { MailNotice } from '../mail-notice.tsx'
import classes from './home.module.css'
import { type Counts, useCounts } from './reads.ts'

interface Item {
  count: keyof Counts
  label: string
  /** The list behind the number. */
  to: string
  search?: Search
}

/** The most urgent first. */
const ITEMS: Item[] = [
  {
    count: 'failingProvisioning',
    label: 'Applications with failing provisioning',
    to: 'applications',
    search: { provisioning: 'true' },
  },
  {
    count: 'parkedImports',
    label: 'Imports that wait for you',
    to: 'settings/jobs',
    search: { view: 'open' },
  },
  {
    count: 'failedJobs',
    label: 'Jobs that failed in 7 days',
    to: 'settings/jobs',
    search: { view: 'failed' },
  },
  {
    count: 'failingForwarders',
    label: 'Webhooks that cannot be reached',
    to: 'settings/webhooks',
    search: { view: 'unreachable' },
  },
  {
    count: 'expiringCertificates',
    label: 'Certificates that end within 30 days',
    to: 'applications',
    search: { active: 'true', certificate: '30', sort: 'sso.idpCertExpirationAt' },
  },
  { count: 'lockedUsers', label: 'Locked users', to: 'users', search: { locked: 'true' } },
  {
    count: 'unseenSystems',
    label: 'Devices not seen for 14 days',
    to: 'devices',
    search: { unseen: '-14', sort: 'lastContact' },
  },
  {
    count: 'expiredPasswords',
    label: 'Expired passwords',
    to: 'users',
    search: { expired: 'true' },
  },
  {
    count: 'usersWithoutMfa',
    label: 'Active without a second factor',
    to: 'users',
    search: { mfa: 'false', state: 'ACTIVATED' },
  },
]

const Card = ({ item, count }: { item: Item; count: number }) => (
  <To to={item.to} {...(item.search && { search: item.search })} className={classes.card}>
    <Text fz="1.75rem" fw={650} lh={1.2} component="div">
      {number.format(count)}
    </Text>
    <Text size="sm" c="dimmed" component="div">
      {item.label}
    </Text>
  </To>
)

function Cards({ counts }: { counts: Counts }) {
  const known = ITEMS.filter(({ count }) => counts[count] !== undefined)
  const calm = known.filter(({ count }) => counts[count] === 0)
  return (
    <>
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md">
        {known.map(
          (item) =>
            counts[item.count] !== 0 && (
              <Card key={item.count} item={item} count={counts[item.count]!} />
            ),
        )}
      </SimpleGrid>
      {calm.length > 0 && (
        <Text size="sm" c="dimmed" mt={calm.length < known.length ? 'sm' : 0}>
          None: {calm.map(({ label }) => label.toLowerCase()).join(' · ')}
        </Text>
      )}
    </>
  )
}

/** What may need somebody to act; each number leads to the list behind it. */
export function Attention() {
  const { data, error } = useCounts()
  return (
    <section>
      <Title order={2} size="h4" mb="sm">
        Needs attention
      </Title>
      {data ? <Cards counts={data} /> : error ? <Problem error={error} /> : <Skeleton h={92} />}
      <MailNotice />
    </section>
  )
}
