import { Avatar, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Profile } from '../../../../server/portal/schema.ts'
import { Loaded, Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { profileQuery } from '../api.ts'
import classes from './profile.module.css'

const fullName = ({ displayname, firstname, middlename, lastname, username }: Profile) =>
  displayname ||
  [firstname, middlename, lastname].filter((part) => part !== '').join(' ') ||
  username

const capital = (word: string) =>
  (word[0]?.toUpperCase() ?? '') + word.slice(1).replaceAll('_', ' ')

type Entry = readonly [label: string, value: string | null | undefined]

const account = (profile: Profile): Entry[] => [
  ['Username', profile.username],
  ['E-mail', profile.email],
  ...profile.phoneNumbers.map(
    ({ type, number }): Entry => [`Phone${type && ` (${capital(type).toLowerCase()})`}`, number],
  ),
]

const work = (profile: Profile): Entry[] => [
  ['Organization', profile.organizationName],
  ['Company', profile.company],
  ['Department', profile.department],
  ['Job title', profile.jobTitle],
  ['Manager', profile.manager?.name],
  ['Location', profile.location],
  ['Employee number', profile.employeeIdentifier],
  ['Employment type', profile.employeeType],
]

const Entries = ({ entries }: { entries: Entry[] }) => (
  <dl className={classes.entries}>
    {entries
      .filter(([, value]) => value)
      .map(([label, value]) => (
        <div key={label} className={classes.entry}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
)

export function ProfilePage() {
  const query = useQuery(profileQuery)
  return (
    <Page title="Profile">
      <Loaded query={query}>
        {(profile) => (
          <>
            <Group gap="md" wrap="nowrap">
              <Avatar name={fullName(profile)} size="lg" color="indigo" variant="filled" alt="" />
              <div className={classes.person}>
                <Text fw={600} fz="lg">
                  {fullName(profile)}
                </Text>
                <Text c="dimmed">{profile.jobTitle || profile.email}</Text>
              </div>
            </Group>
            <Panel title="Account">
              <Entries entries={account(profile)} />
            </Panel>
            <Panel title="Work">
              <Entries entries={work(profile)} />
            </Panel>
            <Text size="sm" c="dimmed">
              Is something wrong? Your administrator can change it.
            </Text>
          </>
        )}
      </Loaded>
    </Page>
  )
}
