import { Select, SimpleGrid } from '@mantine/core'
import { OptionalNumber } from '../../../ui/optional-number.tsx'
import type { FileSource, Source } from './source.ts'

const DELIMITERS = [
  { value: '', label: 'As the header row has it' },
  { value: ',', label: 'Comma' },
  { value: ';', label: 'Semicolon' },
  { value: '\t', label: 'Tab' },
]

const CHARSETS = ['utf-8', 'utf-16', 'iso-8859-1', 'windows-1252'] as const satisfies NonNullable<
  FileSource['charset']
>[]

interface Props {
  source: Source
  set: (part: object) => void
}

/** How the source is read, where what we find by ourselves is not right. */
export const AdvancedFields = ({ source, set }: Props) => (
  <SimpleGrid cols={{ base: 1, sm: 2 }}>
    {source.kind !== 'scim' && source.format === 'csv' && (
      <Select
        size="sm"
        label="Columns are separated by"
        allowDeselect={false}
        data={DELIMITERS}
        value={source.delimiter ?? ''}
        onChange={(delimiter) => set({ delimiter: delimiter || undefined })}
      />
    )}
    {source.kind === 'file' ? (
      <Select
        size="sm"
        label="Encoding"
        allowDeselect={false}
        data={CHARSETS}
        value={source.charset ?? 'utf-8'}
        onChange={(charset) => set({ charset })}
      />
    ) : (
      <OptionalNumber
        label="Requests per second"
        description="At most; empty: as many as the source takes"
        min={0.1}
        max={1000}
        decimals={1}
        value={source.limits?.perSecond}
        onChange={(perSecond) => set({ limits: perSecond === null ? {} : { perSecond } })}
      />
    )}
  </SimpleGrid>
)
