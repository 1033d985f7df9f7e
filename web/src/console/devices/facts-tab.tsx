import { Code, SimpleGrid, Stack, Table, Text } from '@mantine/core'
import { dataOf } from '../../api/organization.ts'
import { Facts } from '../../ui/facts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Section } from '../../ui/section.tsx'
import { When } from '../../ui/when.tsx'
import { To } from '../link.tsx'
import { useRead } from '../reads.ts'
import { useNames } from '../resource/names.ts'
import type { Device } from './device.ts'

function Interfaces({ device }: { device: Device }) {
  const interfaces = device.networkInterfaces ?? []
  if (interfaces.length === 0) return null
  return (
    <Section title="Network interfaces">
      <Table verticalSpacing={6} aria-label="Network interfaces">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th>Address</Table.Th>
            <Table.Th>Family</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {interfaces.map(({ name, address, family, internal }) => (
            <Table.Tr key={`${name} ${address}`}>
              <Table.Td>
                {name}
                {internal && ' (internal)'}
              </Table.Td>
              <Table.Td>{address}</Table.Td>
              <Table.Td>{family}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Section>
  )
}

function HostKeys({ device }: { device: Device }) {
  const { data, error } = useRead(['devices', device.id, 'sshkeys'], async (api) =>
    dataOf(
      await api.management.GET('/systems/{id}/sshkeys', { params: { path: { id: device.id } } }),
    ),
  )
  if (data?.length === 0) return null
  return (
    <Section title="SSH host keys">
      <Problem error={error} />
      <Stack gap="xs">
        {data?.map(({ id, name, public_key }) => (
          <div key={id}>
            <Text size="sm" fw={500}>
              {name}
            </Text>
            <Code block tabIndex={0}>
              {public_key}
            </Code>
          </div>
        ))}
      </Stack>
    </Section>
  )
}

function PrimaryUser({ id }: { id: string }) {
  const name = useNames('user', [id])
  return <To to={`users/${id}`}>{name(id)}</To>
}

/** What the machine has reported about itself. */
export function FactsTab({ device }: { device: Device }) {
  const user = device.primarySystemUser?.id
  return (
    <Stack maw={1080}>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Section title="System">
          <Facts
            items={[
              { label: 'Operating system', aside: device.os },
              { label: 'Version', aside: device.version },
              { label: 'Architecture', aside: device.arch },
              { label: 'Vendor', aside: device.hwVendor },
              { label: 'Serial number', aside: device.serialNumber },
            ]}
          />
        </Section>
        <Section title="Agent">
          <Facts
            items={[
              { label: 'Version', aside: device.agentVersion },
              { label: 'Last contact', aside: <When time={device.lastContact} /> },
              { label: 'From address', aside: device.remoteIP },
              { label: 'Enrolled', aside: <When time={device.created} /> },
              { label: 'Main user', aside: user && <PrimaryUser id={user} /> },
            ]}
          />
        </Section>
      </SimpleGrid>
      <Interfaces device={device} />
      <HostKeys device={device} />
    </Stack>
  )
}
