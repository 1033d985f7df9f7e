import { Button, Group, Select, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { Problem } from '../../ui/problem.tsx'
import { instantOf, ZONE } from '../../ui/time.ts'
import { useChange } from '../changes.ts'
import { findGroupsToJoin } from '../groups/find.ts'
import type { BulkForm } from '../resource/list-declaration.ts'
import { Picker } from '../resource/picker.tsx'
import { joinGroup } from './bulk.ts'

export const JoinGroupForm = ({ ids, start }: BulkForm) => (
  <Picker
    label="Group"
    kind="groups-to-join"
    find={findGroupsToJoin}
    pick={(group) => start(joinGroup(ids, group))}
  />
)

/** One request schedules the change of all. */
export function ScheduleForm({ ids, close }: BulkForm) {
  const [state, setState] = useState<'ACTIVATED' | 'SUSPENDED'>('SUSPENDED')
  const [at, setAt] = useState('')
  const schedule = useChange({
    run: (api) =>
      api.management.POST('/v2/bulk/userstates', {
        body: { user_ids: ids, state, start_date: instantOf(at) },
      }),
    touches: [['users']],
    done: () => `Scheduled the change of ${ids.length === 1 ? '1 user' : `${ids.length} users`}`,
    after: close,
    quiet: true,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    schedule.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <Select
          size="sm"
          label="Change to"
          allowDeselect={false}
          data={[
            { value: 'SUSPENDED', label: 'Suspended' },
            { value: 'ACTIVATED', label: 'Active' },
          ]}
          value={state}
          onChange={(value) => setState(value as typeof state)}
        />
        <TextInput
          size="sm"
          type="datetime-local"
          label={`At, in ${ZONE}`}
          required
          withAsterisk={false}
          value={at}
          onChange={(event) => setAt(event.currentTarget.value)}
        />
        <Problem error={schedule.error} />
        <Group justify="flex-end">
          <Button size="sm" type="submit" loading={schedule.isPending}>
            Schedule change
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
