import { NumberInput, Stack } from '@mantine/core'
import { useState } from 'react'
import { dataOf } from '../../api/organization.ts'
import { Problem } from '../../ui/problem.tsx'
import { SaveBar } from '../../ui/save-bar.tsx'
import { Section } from '../../ui/section.tsx'
import { useChange } from '../changes.ts'
import { useMay } from '../organization.ts'
import { useRead } from '../reads.ts'

/** How long events are kept. */
export function Retention() {
  const may = useMay()
  const [days, setDays] = useState<number | string | null>(null)
  const { data, error } = useRead(
    ['settings', 'retention'],
    async (api) => dataOf(await api.insights.GET('/v1/retention')),
    { enabled: may.read('insights') },
  )
  const save = useChange({
    run: (api) =>
      api.insights.PUT('/v1/retention', { body: { days: days === '' ? null : Number(days) } }),
    touches: [['settings', 'retention']],
    done: () => 'Saved how long events are kept',
    after: () => setDays(null),
    quiet: true,
  })
  if (!data) return <Problem error={error} />
  const writable = may.write('organizations')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate()
      }}
    >
      <Section title="Events" about="Older events are deleted every night, and cannot be restored.">
        <Stack gap="sm">
          <NumberInput
            label="Days that events are kept"
            description={`Empty: ${data.default}`}
            w={320}
            min={1}
            allowDecimal={false}
            readOnly={!writable}
            value={days ?? data.days}
            onChange={setDays}
          />
          <Problem error={save.error} />
          {writable && (
            <SaveBar
              label="Save retention"
              dirty={days !== null && days !== data.days}
              saving={save.isPending}
              discard={() => setDays(null)}
            />
          )}
        </Stack>
      </Section>
    </form>
  )
}
