import { NumberInput, Select, SimpleGrid, Switch } from '@mantine/core'
import { OptionalNumber } from '../../../ui/optional-number.tsx'
import type { Put } from './connection.ts'
import { GroupFields } from './group-fields.tsx'
import { MODES } from './modes.ts'

interface Props {
  values: Put
  set: (part: Partial<Put>) => void
  readOnly: boolean
}

const ACTIONS = {
  deactivate: 'Deactivate the account',
  delete: 'Delete the account',
  delete_after: 'Deactivate, and delete after some days',
}

const ADOPTIONS = {
  matching: 'Take it over if the e-mail address matches',
  never: 'Never take it over',
  always: 'Always take it over',
}

/** A name alone does not prove whose account it is. */
const AdoptField = ({ values, set, readOnly }: Props) => (
  <Select
    size="sm"
    label="An account with the name exists already"
    description="Otherwise the user waits until you compare and adopt"
    allowDeselect={false}
    readOnly={readOnly}
    data={Object.entries(ADOPTIONS).map(([value, label]) => ({ value, label }))}
    value={values.adopt ?? 'matching'}
    onChange={(adopt) => set({ adopt: adopt as keyof typeof ADOPTIONS })}
  />
)

/** What happens to an account whose user may not have it any more. */
function EndFields({ values, set, readOnly }: Props) {
  const { deprovision = { action: 'deactivate' as const }, removalLimit } = values
  return (
    <>
      <Select
        size="sm"
        label="When access ends"
        allowDeselect={false}
        readOnly={readOnly}
        data={Object.entries(ACTIONS).map(([value, label]) => ({ value, label }))}
        value={deprovision.action}
        onChange={(action) =>
          set({
            deprovision: {
              action: action as keyof typeof ACTIONS,
              ...(action === 'delete_after' && { days: 30 }),
            },
          })
        }
      />
      {deprovision.action === 'delete_after' && (
        <NumberInput
          size="sm"
          label="Delete after"
          suffix=" days"
          min={1}
          readOnly={readOnly}
          value={deprovision.days ?? 30}
          onChange={(days) => set({ deprovision: { ...deprovision, days: Number(days) } })}
        />
      )}
      <OptionalNumber
        label="Removals at once without asking"
        description="More of them wait for your confirmation; empty: no limit"
        min={0}
        max={1_000_000}
        readOnly={readOnly}
        value={removalLimit?.users}
        onChange={(users) => set({ removalLimit: { ...removalLimit, users } })}
      />
      <OptionalNumber
        label="Removals at once without asking, in %"
        description="Of all accounts, from the 11th removal on; empty: no limit"
        min={0}
        max={100}
        decimals={1}
        readOnly={readOnly}
        value={removalLimit?.percent}
        onChange={(percent) => set({ removalLimit: { ...removalLimit, percent } })}
      />
      <NumberInput
        size="sm"
        label="Access should end within"
        description="A removal that takes longer is reported"
        suffix=" seconds"
        min={1}
        readOnly={readOnly}
        value={values.deprovisionTargetSeconds ?? 300}
        onChange={(seconds) => set({ deprovisionTargetSeconds: Number(seconds) })}
      />
    </>
  )
}

function CompareFields({ values, set, readOnly }: Props) {
  const { everyHours = null, mode = 'report' } = values.reconcile ?? {}
  return (
    <>
      <OptionalNumber
        label="Compare with the provider every so many hours"
        description="Empty: only when asked"
        min={1}
        max={720}
        readOnly={readOnly}
        value={everyHours}
        onChange={(hours) => set({ reconcile: { mode, everyHours: hours } })}
      />
      {everyHours !== null && (
        <Select
          size="sm"
          label="Differences"
          description="What is done about them by itself"
          allowDeselect={false}
          readOnly={readOnly}
          data={MODES}
          value={mode}
          onChange={(next) => set({ reconcile: { everyHours, mode: next as typeof mode } })}
        />
      )}
    </>
  )
}

/** The rules by which accounts are written. */
export const RuleFields = ({ values, set, readOnly }: Props) => (
  <>
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <AdoptField values={values} set={set} readOnly={readOnly} />
      <EndFields values={values} set={set} readOnly={readOnly} />
      <CompareFields values={values} set={set} readOnly={readOnly} />
    </SimpleGrid>
    <GroupFields
      value={values.groups ?? { push: false }}
      onChange={(groups) => set({ groups })}
      readOnly={readOnly}
    />
    <Switch
      label="Only plan"
      description="Nothing is written to the provider"
      disabled={readOnly}
      checked={values.dryRun ?? false}
      onChange={(event) => set({ dryRun: event.currentTarget.checked })}
    />
    <Switch
      label="Refuse sign-on until the account exists"
      disabled={readOnly}
      checked={values.requireProvisioned ?? false}
      onChange={(event) => set({ requireProvisioned: event.currentTarget.checked })}
    />
  </>
)
