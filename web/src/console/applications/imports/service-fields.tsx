import { Select, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { type Pair, PairsField } from '../../../ui/pairs-field.tsx'
import { type Auth, AuthField } from '../auth-field.tsx'
import { FORMATS, formatted } from './formats.ts'
import { PagingFields } from './paging-fields.tsx'
import type { RestSource, Source } from './source.ts'

const pairsOf = (query: RestSource['query'] = {}): Pair[] =>
  Object.entries(query).map(([name, value]) => ({ name, value }))

const queryOf = (pairs: Pair[]) => Object.fromEntries(pairs.map(({ name, value }) => [name, value]))

interface RestProps {
  source: RestSource
  set: (part: object) => void
}

function RestFields({ source, set }: RestProps) {
  const isJson = (source.format ?? 'json') === 'json'
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput
          size="sm"
          label="Path"
          placeholder="/people"
          value={source.listPath ?? ''}
          onChange={(event) => set({ listPath: event.currentTarget.value || undefined })}
        />
        <Select
          size="sm"
          label="Format"
          allowDeselect={false}
          data={FORMATS}
          value={source.format ?? 'json'}
          onChange={(format) => set(formatted(format))}
        />
        {isJson && (
          <TextInput
            size="sm"
            label="Path of the list in the response"
            placeholder="data.items"
            value={source.recordPath ?? ''}
            onChange={(event) => set({ recordPath: event.currentTarget.value || undefined })}
          />
        )}
      </SimpleGrid>
      <PagingFields value={source.paging} onChange={(paging) => set({ paging })} inBody={isJson} />
      <PairsField
        label="Parameters of every request"
        columns={['Parameter', 'Value']}
        value={pairsOf(source.query)}
        onChange={(pairs) => set({ query: queryOf(pairs) })}
      />
    </>
  )
}

interface Props {
  source: Exclude<Source, { kind: 'file' }>
  set: (part: object) => void
  /** The kind of the secret that is kept. */
  stored: Auth['type'] | undefined
}

/** A source that is asked over HTTP. */
export function ServiceFields({ source, set, stored }: Props) {
  return (
    <Stack gap="sm">
      <TextInput
        size="sm"
        label="Base URL"
        placeholder="https://hr.example.com/api"
        required
        value={source.baseUrl}
        onChange={(event) => set({ baseUrl: event.currentTarget.value })}
      />
      <AuthField
        kinds={[
          'bearer',
          'basic',
          'header',
          'oauth',
          ...(source.kind === 'rest' ? ['none' as const] : []),
        ]}
        value={source.auth as Auth}
        onChange={(auth) => set({ auth })}
        stored={stored}
        readOnly={false}
      />
      {source.kind === 'rest' ? (
        <RestFields source={source} set={set} />
      ) : (
        <TextInput
          size="sm"
          label="Filter"
          placeholder='userType eq "Employee"'
          value={source.filter ?? ''}
          onChange={(event) => set({ filter: event.currentTarget.value || undefined })}
        />
      )}
    </Stack>
  )
}
