import { Stack, Switch } from '@mantine/core'
import { findGroups } from '../../groups/find.ts'
import { ObjectList } from '../../resource/object-list.tsx'
import { Picker } from '../../resource/picker.tsx'
import type { Put } from './connection.ts'

type Groups = NonNullable<Put['groups']>

interface Props {
  value: Groups
  onChange: (groups: Groups) => void
  readOnly: boolean
}

/** Which of the bound groups are written, too. */
export function GroupFields({ value, onChange, readOnly }: Props) {
  const { push, only = null } = value
  const choose = (ids: string[] | null) => onChange({ push, only: ids })
  return (
    <Stack gap="xs">
      <Switch
        label="Push bound groups too"
        disabled={readOnly}
        checked={push}
        onChange={(event) => onChange({ ...value, push: event.currentTarget.checked })}
      />
      {push && (
        <Switch
          label="Only some of them"
          disabled={readOnly}
          checked={only !== null}
          onChange={(event) => choose(event.currentTarget.checked ? [] : null)}
        />
      )}
      {push && only !== null && (
        <>
          {!readOnly && (
            <Picker
              label="Choose a group"
              kind="groups"
              find={findGroups}
              pick={({ id }) => only.includes(id) || choose([...only, id])}
            />
          )}
          <ObjectList
            items={only.map((id) => ({ id, type: 'user_group' }))}
            type="user_group"
            empty="No group: none is pushed."
            remove={readOnly ? undefined : ({ id }) => choose(only.filter((each) => each !== id))}
          />
        </>
      )}
    </Stack>
  )
}
