import { Select, SimpleGrid, Switch, TextInput } from '@mantine/core'
import { OptionalNumber } from '../../../ui/optional-number.tsx'
import { OPERATIONS, operationsOf } from './operations.ts'
import type { Put } from './source.ts'

interface Props {
  values: Put
  set: (part: Partial<Put>) => void
}

type What = 'suspensions' | 'changes'

const LIMITS: { what: What; of: 'users' | 'percent'; label: string; max: number }[] = [
  { what: 'suspensions', of: 'users', label: 'Suspensions without asking', max: 1_000_000 },
  { what: 'suspensions', of: 'percent', label: 'Suspensions without asking, in %', max: 100 },
  { what: 'changes', of: 'users', label: 'Changes without asking', max: 1_000_000 },
  { what: 'changes', of: 'percent', label: 'Changes without asking, in %', max: 100 },
]

/** A run over a limit waits for an administrator. */
const LimitFields = ({ values, set }: Props) =>
  LIMITS.map(({ what, of, label, max }) => (
    <OptionalNumber
      key={label}
      label={label}
      description="A run with more waits for you; empty: no limit"
      min={0}
      max={max}
      decimals={of === 'percent' ? 1 : 0}
      value={values.limits?.[what]?.[of]}
      onChange={(limit) =>
        set({
          limits: { ...values.limits, [what]: { ...values.limits?.[what], [of]: limit } },
        })
      }
    />
  ))

/** Of runs that nobody starts. */
const ScheduleFields = ({ values, set }: Props) => (
  <>
    <TextInput
      size="sm"
      label="Schedule"
      description="Cron with five fields, in UTC; empty: only by hand"
      placeholder="0 3 * * *"
      value={values.schedule ?? ''}
      onChange={(event) => set({ schedule: event.currentTarget.value || null })}
    />
    {values.schedule && (
      <Select
        size="sm"
        label="Scheduled runs"
        description="What they do"
        allowDeselect={false}
        data={OPERATIONS.map(({ value, label }) => ({ value, label }))}
        value={operationsOf(values.operations)}
        onChange={(what) =>
          set({ operations: OPERATIONS.find(({ value }) => value === what)!.operations })
        }
      />
    )}
  </>
)

const MissingFields = ({ values, set }: Props) => {
  const { action = 'ignore', after } = values.missing ?? {}
  return (
    <>
      <Select
        size="sm"
        label="People who are no longer there"
        description="Absent from several complete reads in a row"
        allowDeselect={false}
        data={[
          { value: 'ignore', label: 'Leave as they are' },
          { value: 'suspend', label: 'Suspend' },
        ]}
        value={action}
        onChange={(next) =>
          set({ missing: { ...values.missing, action: next as 'ignore' | 'suspend' } })
        }
      />
      {action === 'suspend' && (
        <OptionalNumber
          label="After so many reads without them"
          description="Empty: 3"
          min={1}
          max={100}
          value={after}
          onChange={(count) =>
            set({ missing: { action, ...(count !== null && { after: count }) } })
          }
        />
      )}
    </>
  )
}

/** What may happen, and what not without an administrator. */
export function PolicyFields({ values, set }: Props) {
  const isFile = values.source.kind === 'file'
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {!isFile && <ScheduleFields values={values} set={set} />}
        <MissingFields values={values} set={set} />
        <LimitFields values={values} set={set} />
      </SimpleGrid>
      <Switch
        label="Active"
        description="Off: no import runs"
        checked={values.active ?? true}
        onChange={(event) => set({ active: event.currentTarget.checked })}
      />
      {!isFile && values.schedule && (
        <Switch
          label="Scheduled runs reactivate suspended users who are there again"
          checked={values.allowUserReactivation ?? false}
          onChange={(event) => set({ allowUserReactivation: event.currentTarget.checked })}
        />
      )}
      <Switch
        label="Mail new users a link to their first password"
        checked={values.activationEmails ?? true}
        onChange={(event) => set({ activationEmails: event.currentTarget.checked })}
      />
      <Switch
        label="Only the import changes the fields it maps"
        checked={values.protectFields ?? !isFile}
        onChange={(event) => set({ protectFields: event.currentTarget.checked })}
      />
    </>
  )
}
