import { Select, type SelectProps } from '@mantine/core'
import { useRead } from '../reads.ts'
import { readRoles, rolesKey } from '../roles/role.ts'

/** One of the roles, with what it is for. */
export function RoleField(props: SelectProps) {
  const { data: roles = [] } = useRead(rolesKey, readRoles)
  return (
    <Select
      label="Role"
      allowDeselect={false}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      description={roles.find(({ id }) => id === props.value)?.description ?? ' '}
      data={roles.map(({ id, name }) => ({ value: id, label: name }))}
      {...props}
    />
  )
}
