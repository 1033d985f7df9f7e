import { SegmentedControl } from '@mantine/core'
import { chooseUtc, inUtc } from './time.ts'

/** How instants are shown and entered. */
export const TimeZone = () => (
  <SegmentedControl
    fullWidth
    size="xs"
    aria-label="Times"
    value={inUtc ? 'utc' : 'local'}
    onChange={(value) => chooseUtc(value === 'utc')}
    data={[
      { value: 'local', label: 'Your time zone' },
      { value: 'utc', label: 'UTC' },
    ]}
  />
)
