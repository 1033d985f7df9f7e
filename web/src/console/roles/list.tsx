import { Button, Group, Modal, Skeleton, Table, Title, Tooltip } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { IconCircleCheckFilled, IconCircleHalf2, IconEye, IconPlus } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { Problem } from '../../ui/problem.tsx'
import { SIBLINGS } from '../administrators/siblings.ts'
import { To, useAddress, useGo } from '../link.tsx'
import { useMay, useOrganization } from '../organization.ts'
import { useRead } from '../reads.ts'
import { SiblingTabs } from '../resource/sibling-tabs.tsx'
import { CreateRole } from './create-role.tsx'
import { LEVELS, type Level, levelOf } from './level.ts'
import { areaOf, type Role, readRoles, readScopes, rolesKey, scopesKey } from './role.ts'
import classes from './roles.module.css'

const ICONS = { all: IconCircleCheckFilled, some: IconCircleHalf2, read: IconEye }

function Cell({ level, scopes }: { level: Level; scopes: string[] }) {
  if (level === 'none') return <span className={classes.none}>–</span>
  const Icon = ICONS[level]
  return (
    <span className={classes.level} data-level={level} data-scopes={scopes.join(', ')}>
      <Icon size={15} aria-hidden />
      {LEVELS[level]}
    </span>
  )
}

/** Tells the scopes of the cell pointed at: one tooltip, since one in each cell takes longer to draw than the table. */
function WithScopes({ children }: { children: ReactNode }) {
  const [pointed, setPointed] = useState<HTMLElement | null>(null)
  return (
    <section
      className={classes.matrix}
      onPointerOver={({ target, pointerType }) => {
        const cell = (target as Element).closest<HTMLElement>('[data-scopes]')
        setPointed(pointerType === 'mouse' ? cell : null)
      }}
      onPointerLeave={() => setPointed(null)}
    >
      {children}
      {pointed && (
        <Tooltip target={pointed} label={pointed.dataset.scopes} opened multiline maw={320} />
      )}
    </section>
  )
}

interface MatrixProps {
  roles: Role[]
  areas: { name: string; scopes: string[] }[]
}

const Matrix = ({ roles, areas }: MatrixProps) => (
  <WithScopes>
    <Table verticalSpacing="xs" aria-label="Roles and their scopes">
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">Area</Table.Th>
          {roles.map(({ id, name }) => (
            <Table.Th key={id} scope="col">
              <To to={`roles/${id}`}>{name}</To>
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {areas.map(({ name, scopes }) => (
          <Table.Tr key={name}>
            <Table.Th scope="row">{areaOf(name)}</Table.Th>
            {roles.map((role) => (
              <Table.Td key={role.id}>
                <Cell
                  level={levelOf(scopes, role.scopes)}
                  scopes={scopes.filter((scope) => role.scopes.includes(scope))}
                />
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </WithScopes>
)

/** Every role beside the others. */
export function List() {
  const { name } = useOrganization()
  const writable = useMay().write('administrators')
  const go = useGo()
  const { new: creating } = useAddress()
  const roles = useRead(rolesKey, readRoles)
  const areas = useRead(scopesKey, readScopes)
  useDocumentTitle(`Roles · ${name} · Gatehouse`)
  const close = () => void go('roles', { replace: true })
  return (
    <>
      <Group justify="space-between" mb="md">
        <Title order={1}>Roles</Title>
        {writable && (
          <Button
            size="sm"
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => void go('roles', { search: { new: '1' } })}
          >
            Add role
          </Button>
        )}
      </Group>
      <SiblingTabs siblings={SIBLINGS} />
      <Problem error={roles.error ?? areas.error} />
      {roles.data && areas.data ? (
        <Matrix roles={roles.data} areas={areas.data} />
      ) : (
        <Skeleton h={420} />
      )}
      {writable && (
        <Modal opened={creating !== undefined} onClose={close} title="Add role" size="lg">
          <CreateRole roles={roles.data ?? []} close={close} />
        </Modal>
      )}
    </>
  )
}
