import { ObjectSelect } from '../resource/object-select.tsx'
import { findUsers } from '../users/find.ts'
import { ROOT } from './command.ts'

interface Props {
  value: string
  readOnly: boolean
  onChange: (id: string) => void
}

/** Root, or a user of the directory with an account on the device. */
export const RunAs = ({ value, readOnly, onChange }: Props) => (
  <ObjectSelect
    label="Run as"
    description="Users need an account on the device"
    type="user"
    kind="users"
    find={findUsers}
    fixed={[{ value: ROOT, label: 'root' }]}
    value={value || ROOT}
    readOnly={readOnly}
    onChange={(id) => id && onChange(id)}
  />
)
