import { Button, Table } from '@mantine/core'
import { Section } from '../../ui/section.tsx'
import { When } from '../../ui/when.tsx'
import { useMay } from '../organization.ts'
import { useOrganizationActions } from './actions.ts'

interface Deleted {
  id: string
  name: string
  deleted: string
  erased: string
}

/** Organizations that can still be brought back. */
export function DeletedOrganizations({ rows }: { rows: Deleted[] }) {
  const writable = useMay().write('providers')
  const { restore } = useOrganizationActions()
  if (rows.length === 0) return null
  return (
    <Section title="Deleted" about="They can be restored until their data is erased.">
      <Table aria-label="Deleted organizations">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Organization</Table.Th>
            <Table.Th>Deleted</Table.Th>
            <Table.Th>Erased</Table.Th>
            <Table.Td />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ id, name, deleted, erased }) => (
            <Table.Tr key={id}>
              <Table.Th scope="row">{name}</Table.Th>
              <Table.Td>
                <When time={deleted} />
              </Table.Td>
              <Table.Td>
                <When time={erased} />
              </Table.Td>
              <Table.Td ta="right">
                {writable && (
                  <Button
                    size="xs"
                    variant="default"
                    aria-label={`Restore ${name}`}
                    onClick={() => restore.mutate({ id, name })}
                  >
                    Restore
                  </Button>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Section>
  )
}
