import { SimpleGrid } from '@mantine/core'
import { OptionalNumber } from '../../../ui/optional-number.tsx'
import type { Put } from './connection.ts'

type Limits = NonNullable<Put['limits']>

interface Props {
  value: Limits | undefined
  onChange: (limits: Limits) => void
  readOnly: boolean
}

/** How much of the provider we take at once. */
export const LimitFields = ({ value = {}, onChange, readOnly }: Props) => (
  <SimpleGrid cols={{ base: 1, sm: 2 }}>
    <OptionalNumber
      label="Requests per second"
      description="At most; empty: as many as the provider takes"
      min={0.1}
      max={1000}
      decimals={1}
      readOnly={readOnly}
      value={value.perSecond}
      onChange={(perSecond) => onChange({ ...value, perSecond })}
    />
    <OptionalNumber
      label="Requests at the same time"
      description="Empty: 8"
      min={1}
      max={16}
      readOnly={readOnly}
      value={value.concurrency}
      onChange={(concurrency) => {
        const { concurrency: _, ...others } = value
        onChange(concurrency === null ? others : { ...others, concurrency })
      }}
    />
  </SimpleGrid>
)
