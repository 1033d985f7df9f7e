import { Button, Group, List, Loader, Stack, Text } from '@mantine/core'
import { IconCircleCheckFilled } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { type Api, dataOf, pageOfV1 } from '../../api/organization.ts'
import { CopyLine } from '../../ui/copy-line.tsx'
import { Problem } from '../../ui/problem.tsx'
import { To } from '../link.tsx'
import { useOrganization } from '../organization.ts'
import { keyOf, useRead } from '../reads.ts'
import { queries } from '../session.ts'
import { type Device, nameOf, systemOf } from './device.ts'
import classes from './enrol.module.css'

const POLL_MS = 2000
const MAX_SHOWN = 10

const newest = async (api: Api) =>
  pageOfV1(
    await api.management.GET('/systems', {
      params: { query: { sort: '-created', limit: MAX_SHOWN } },
    }),
  ).rows

/** Devices enrolled since the dialog was opened, by the clock of the service. */
function useArrivals(): Device[] {
  const { id } = useOrganization()
  const [opened] = useState(() => Date.now())
  const [since, setSince] = useState<string>()
  const { data } = useRead(['enrolment', opened], newest, { every: () => POLL_MS })
  useEffect(() => {
    if (data && since === undefined) setSince(data[0]?.created ?? '')
  }, [data, since])
  const arrived =
    since === undefined ? [] : (data ?? []).filter(({ created = '' }) => created > since)
  useEffect(() => {
    if (arrived.length > 0)
      void queries.invalidateQueries({ queryKey: keyOf(id, ['devices', 'list']) })
  }, [arrived.length, id])
  return arrived
}

/** One line to paste on a machine, and the machine as soon as it is here. */
export function Enrol({ close }: { close: () => void }) {
  const { data, error } = useRead(['connect-key'], async (api) =>
    dataOf(await api.management.GET('/v2/connect-key')),
  )
  const arrived = useArrivals()
  // Not piped into a shell: it would succeed with nothing to run when the download fails.
  const line = `curl -sS --fail-with-body -H 'x-connect-key: ${data?.connectKey}' ${window.location.origin}/Kickstart -o kickstart.sh && sudo sh kickstart.sh`
  return (
    <Stack>
      <Text size="sm">Run this line on the machine, in a shell:</Text>
      <Problem error={error} />
      {data && <CopyLine text={line} />}
      <List size="sm" c="dimmed" spacing={4}>
        <List.Item>It needs root, curl and openssl, and installs a small shell agent.</List.Item>
        <List.Item>The private key is made on the machine and never leaves it.</List.Item>
        <List.Item>
          Anyone with this line can enrol machines. Rotate the key in{' '}
          <To to="settings/devices">settings</To> if it has leaked.
        </List.Item>
      </List>
      <div role="status" className={classes.arrivals}>
        {arrived.map((device) => (
          <Group key={device.id} gap="xs">
            <IconCircleCheckFilled size={20} className={classes.done} aria-hidden />
            <Text size="sm" component="span">
              <To to={`devices/${device.id}`}>{nameOf(device)}</To> enrolled · {systemOf(device)}
            </Text>
          </Group>
        ))}
        <Group gap="xs">
          <Loader size={18} aria-hidden />
          <Text size="sm" component="span">
            {arrived.length === 0 ? 'Waiting for your machine…' : 'Waiting for more…'}
          </Text>
        </Group>
      </div>
      <Group justify="flex-end">
        <Button size="sm" variant="default" onClick={close}>
          Close
        </Button>
      </Group>
    </Stack>
  )
}
