import { Anchor, Group, Loader, Popover, Stack, Text, TextInput } from '@mantine/core'
import { IconArrowRight } from '@tabler/icons-react'
import { Fragment, useState } from 'react'
import { dataOf } from '../../api/organization.ts'
import { Problem } from '../../ui/problem.tsx'
import { instantOf, ZONE } from '../../ui/time.ts'
import { When } from '../../ui/when.tsx'
import { To } from '../link.tsx'
import { useRead } from '../reads.ts'
import { pathOf } from '../resource/names.ts'

interface Props {
  user: string
  target: { application: string } | { system: string }
  name: string
}

const DENIED: Record<string, string> = {
  no_path: 'Nothing granted it.',
  user_staged: 'A path exists, but the user was not activated.',
  user_suspended: 'A path exists, but the user was suspended.',
  user_locked: 'A path exists, but the user is locked.',
  application_inactive: 'A path exists, but the application is inactive.',
}

interface Node {
  type: string
  id: string
  name?: string
}

function Step({ node }: { node: Node }) {
  const path = pathOf(node.type)
  const label = node.name ?? node.id
  return path ? <To to={`${path}/${node.id}`}>{label}</To> : label
}

function Explanation({ user, target }: Omit<Props, 'name'>) {
  const [at, setAt] = useState('')
  const { data, error } = useRead(
    ['users', user, 'why', target, at],
    async (api) =>
      dataOf(
        await api.management.GET('/v2/access/explain', {
          params: {
            query: { user, ...target, ...(at && { at: instantOf(at) }) },
          },
        }),
      ),
    { placeholderData: (previous) => previous },
  )
  return (
    <Stack gap="sm">
      <Problem error={error} />
      {!data && !error && <Loader size="sm" aria-label="Loading" />}
      {data?.reason && <Text size="sm">{DENIED[data.reason] ?? data.reason}</Text>}
      {data?.paths.map((edges) => (
        <div key={edges.map(({ to }) => to.id).join()}>
          <Group gap={6} fz="sm">
            {edges.map(({ from, to }, at) => (
              <Fragment key={to.id}>
                {at === 0 && <Step node={from} />}
                <IconArrowRight size={14} aria-label="grants" />
                <Step node={to} />
              </Fragment>
            ))}
          </Group>
          <Text size="xs" c="dimmed" component="div">
            since <When time={edges.at(-1)?.since} />
          </Text>
        </div>
      ))}
      <TextInput
        size="xs"
        type="datetime-local"
        label={`As of a past moment, in ${ZONE}`}
        value={at}
        onChange={(event) => setAt(event.currentTarget.value)}
      />
    </Stack>
  )
}

/** The paths that grant access, now or at a past instant. */
export const Why = ({ user, target, name }: Props) => (
  <Popover width={360} position="bottom-end" shadow="md" trapFocus>
    <Popover.Target>
      <Anchor component="button" type="button" size="sm" aria-label={`Why ${name}?`}>
        Why?
      </Anchor>
    </Popover.Target>
    <Popover.Dropdown>
      <Explanation user={user} target={target} />
    </Popover.Dropdown>
  </Popover>
)
