import { Button, Checkbox, Group, Select, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { counted } from '../../ui/number.ts'
import { Problem } from '../../ui/problem.tsx'
import { instantOf, ZONE } from '../../ui/time.ts'
import { useChange } from '../changes.ts'

type Target = 'ACTIVATED' | 'SUSPENDED'

interface Props {
  ids: string[]
  /** Proposed first. */
  target: Target
  after?: () => void
}

/** One request schedules the change of all. */
export function ScheduleForm({ ids, target, after }: Props) {
  const [state, setState] = useState(target)
  const [at, setAt] = useState('')
  const [mails, setMails] = useState(true)
  const [to, setTo] = useState('')
  const activates = state === 'ACTIVATED'
  const schedule = useChange({
    run: (api) =>
      api.management.POST('/v2/bulk/userstates', {
        body: {
          user_ids: ids,
          state,
          start_date: instantOf(at),
          ...(activates && { send_activation_emails: mails }),
          ...(activates && mails && to && { activation_email_override: to }),
        },
      }),
    touches: [['users']],
    done: () => `Scheduled the change of ${counted(ids.length, 'user')}`,
    after: () => {
      setAt('')
      after?.()
    },
    quiet: true,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    schedule.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Group align="flex-end">
          <Select
            size="sm"
            label="Change to"
            allowDeselect={false}
            data={[
              { value: 'SUSPENDED', label: 'Suspended' },
              { value: 'ACTIVATED', label: 'Active' },
            ]}
            value={state}
            onChange={(value) => setState(value as Target)}
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
          <Button size="sm" type="submit" variant="default" loading={schedule.isPending}>
            Schedule change
          </Button>
        </Group>
        {activates && (
          <Checkbox
            size="sm"
            label="Mail those without a password a link to choose one"
            checked={mails}
            onChange={(event) => setMails(event.currentTarget.checked)}
          />
        )}
        {activates && mails && ids.length === 1 && (
          <TextInput
            size="sm"
            maw={420}
            type="email"
            label="Mail it to another address"
            description="Empty: to the e-mail of the user"
            value={to}
            onChange={(event) => setTo(event.currentTarget.value)}
          />
        )}
        <Problem error={schedule.error} />
      </Stack>
    </form>
  )
}
