import { Select, SimpleGrid, Switch, TextInput } from '@mantine/core'
import { OptionalNumber } from '../../../ui/optional-number.tsx'
import type { RestSource } from './source.ts'

type Paging = NonNullable<RestSource['paging']>
type Type = Paging['type']

const TYPES: Record<Type, string> = {
  none: 'Everything in one response',
  offset: 'Offset and limit',
  page: 'Numbered pages',
  cursor: 'A cursor in the response',
  link: 'A link to the next page',
}

interface Field {
  name: string
  label: string
  /** Used while the field is empty. */
  otherwise: string
  /** A path in the response, which only JSON has. */
  inBody?: true
}

const total: Field = {
  name: 'totalPath',
  label: 'Path of the total in the response',
  otherwise: 'the header X-Total-Count',
  inBody: true,
}

/** The texts of each kind; those with pages have their size, too. */
const FIELDS: Record<Type, Field[]> = {
  none: [],
  offset: [
    { name: 'offsetParam', label: 'Parameter of the offset', otherwise: 'offset' },
    { name: 'limitParam', label: 'Parameter of the size', otherwise: 'limit' },
    total,
  ],
  page: [
    { name: 'pageParam', label: 'Parameter of the page', otherwise: 'page' },
    { name: 'sizeParam', label: 'Parameter of the size', otherwise: 'limit' },
    total,
  ],
  cursor: [
    { name: 'cursorParam', label: 'Parameter of the cursor', otherwise: 'cursor' },
    { name: 'cursorPath', label: 'Path of the cursor in the response', otherwise: 'next_cursor' },
    { name: 'sizeParam', label: 'Parameter of the size', otherwise: 'none' },
  ],
  link: [
    {
      name: 'nextPath',
      label: 'Path of the link in the response',
      otherwise: 'the header Link',
      inBody: true,
    },
  ],
}

interface Props {
  value: Paging | undefined
  onChange: (paging: object) => void
  inBody: boolean
}

/** How the pages of a list are asked for. */
export function PagingFields({ value = { type: 'none' }, onChange, inBody }: Props) {
  const members = value as Record<string, unknown>
  const { type } = value
  const set = (name: string, next: unknown) => {
    const { [name]: _, ...others } = members
    onChange(next === '' || next === null ? others : { ...others, [name]: next })
  }
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <Select
        size="sm"
        label="Pages"
        allowDeselect={false}
        data={Object.entries(TYPES).map(([type, label]) => ({ value: type, label }))}
        value={type}
        onChange={(next) => onChange({ type: next })}
      />
      {FIELDS[type]
        .filter((field) => inBody || !field.inBody)
        .filter(({ name }) => members[name] !== null)
        .map(({ name, label, otherwise }) => (
          <TextInput
            key={name}
            size="sm"
            label={label}
            description={`Empty: ${otherwise}`}
            value={String(members[name] ?? '')}
            onChange={(event) => set(name, event.currentTarget.value)}
          />
        ))}
      {type !== 'none' && type !== 'link' && (
        <OptionalNumber
          label="Records of a page"
          description="Empty: 100"
          min={1}
          max={10_000}
          value={members.pageSize as number | undefined}
          onChange={(size) => set('pageSize', size)}
        />
      )}
      {type === 'page' && (
        <Select
          size="sm"
          label="Number of the first page"
          allowDeselect={false}
          data={['0', '1']}
          value={String(members.firstPage ?? 1)}
          onChange={(page) => set('firstPage', Number(page))}
        />
      )}
      {type === 'page' && (
        <Switch
          label="Ask for the size of a page"
          checked={members.sizeParam !== null}
          onChange={(event) => {
            const { sizeParam: _, ...others } = members
            onChange(event.currentTarget.checked ? others : { ...others, sizeParam: null })
          }}
        />
      )}
    </SimpleGrid>
  )
}
