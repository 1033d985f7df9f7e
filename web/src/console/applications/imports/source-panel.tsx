import {
  Button,
  FileButton,
  Group,
  NumberInput,
  SegmentedControl,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  TextInput,
} from '@mantine/core'
import { IconPlugConnected, IconUpload } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { dataOf } from '../../../api/organization.ts'
import { Panel } from '../../../ui/panel.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { Tag } from '../../../ui/tag.tsx'
import { When } from '../../../ui/when.tsx'
import { useChange } from '../../changes.ts'
import { useGo } from '../../link.tsx'
import { useMay } from '../../organization.ts'
import { Advanced } from '../advanced.tsx'
import type { Application } from '../application.ts'
import { type Auth, AuthField } from '../auth-field.tsx'
import { RemoveButton } from '../remove-button.tsx'
import { AdvancedFields } from './advanced-fields.tsx'
import { type Config, keyOf, type Put, put, putOf, type Source, upload } from './source.ts'

interface Props {
  application: Application
  config: Config | null
}

type Kind = Source['kind']

const EMPTY: Record<Kind, Source> = {
  file: { kind: 'file', format: 'csv' },
  rest: { kind: 'rest', baseUrl: '', auth: { type: 'bearer' } },
  scim: { kind: 'scim', baseUrl: '', auth: { type: 'bearer' } },
}

const FORMATS = [
  { value: 'csv', label: 'CSV' },
  { value: 'json', label: 'JSON' },
  { value: 'jsonl', label: 'JSON Lines' },
]

const PAGING = [
  { value: 'none', label: 'Everything in one response' },
  { value: 'offset', label: 'Offset and limit' },
  { value: 'page', label: 'Numbered pages' },
  { value: 'cursor', label: 'A cursor in the response' },
  { value: 'link', label: 'A link to the next page' },
]

/** Only JSON has a path, and only CSV a delimiter. */
const formatted = (format: string | null) => ({
  format,
  ...(format !== 'json' && { recordPath: undefined }),
  ...(format !== 'csv' && { delimiter: undefined }),
})

/** By the ending of its name. */
const formatOf = (name: string) =>
  /\.jsonl$|\.ndjson$/i.test(name) ? 'jsonl' : /\.json$/i.test(name) ? 'json' : 'csv'

type Set = (part: object) => void

function FileFields({
  source,
  set,
  file,
  setFile,
  known,
}: {
  source: Extract<Source, { kind: 'file' }>
  set: Set
  file: File | null
  setFile: (file: File) => void
  known: Config['file']
}) {
  return (
    <Stack gap="sm">
      <Group>
        <FileButton
          accept=".csv,.json,.jsonl,.ndjson,.txt"
          onChange={(chosen) => {
            if (!chosen) return
            setFile(chosen)
            set(formatted(formatOf(chosen.name)))
          }}
        >
          {(props) => (
            <Button
              {...props}
              size="sm"
              variant="default"
              leftSection={<IconUpload size={16} aria-hidden />}
            >
              Choose file
            </Button>
          )}
        </FileButton>
        <Text size="sm" c="dimmed" role="status" component="div">
          {file ? (
            file.name
          ) : known ? (
            <>
              {known.name}, uploaded <When time={known.created} />
            </>
          ) : (
            'CSV, JSON or JSON Lines, up to 32 MiB'
          )}
        </Text>
      </Group>
      <Group grow align="flex-start">
        <Select
          size="sm"
          label="Format"
          allowDeselect={false}
          data={FORMATS}
          value={source.format}
          onChange={(format) => set(formatted(format))}
        />
        {source.format === 'json' && (
          <TextInput
            size="sm"
            label="Path of the list"
            placeholder="data.items"
            value={source.recordPath ?? ''}
            onChange={(event) => set({ recordPath: event.currentTarget.value || undefined })}
          />
        )}
      </Group>
    </Stack>
  )
}

function ServiceFields({
  source,
  set,
  stored,
}: {
  source: Exclude<Source, { kind: 'file' }>
  set: Set
  stored: Auth['type'] | undefined
}) {
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
          {(source.format ?? 'json') === 'json' && (
            <TextInput
              size="sm"
              label="Path of the list in the response"
              placeholder="data.items"
              value={source.recordPath ?? ''}
              onChange={(event) => set({ recordPath: event.currentTarget.value || undefined })}
            />
          )}
          <Select
            size="sm"
            label="Pages"
            allowDeselect={false}
            data={PAGING}
            value={source.paging?.type ?? 'none'}
            onChange={(type) => set({ paging: { type } })}
          />
        </SimpleGrid>
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

function Test({ application }: { application: Application }) {
  const test = useChange({
    run: async (api) =>
      dataOf(
        await api.management.POST('/v2/applications/{application_id}/import/config/test', {
          params: { path: { application_id: application.id } },
        }),
      ),
    touches: [],
    quiet: true,
  })
  return (
    <Panel
      title="Test"
      lead="Reads the first records."
      action={
        <Button
          size="sm"
          variant="default"
          leftSection={<IconPlugConnected size={16} aria-hidden />}
          loading={test.isPending}
          onClick={() => test.mutate()}
        >
          Test source
        </Button>
      }
    >
      <Problem error={test.error} />
      {test.data && (
        <Text size="sm" role="status" component="div">
          <Tag tone={test.data.ok ? 'good' : 'bad'}>{test.data.ok ? 'Works' : 'Fails'}</Tag>{' '}
          {test.data.message}{' '}
          {test.data.members.length > 0 && <>Fields: {test.data.members.join(', ')}</>}
        </Text>
      )}
    </Panel>
  )
}

function Remove({ application }: { application: Application }) {
  const go = useGo()
  const remove = useChange({
    run: (api) =>
      api.management.DELETE('/v2/applications/{application_id}/import/config', {
        params: { path: { application_id: application.id } },
      }),
    touches: [keyOf(application.id)],
    done: () => 'Deleted the source; the users stay',
    after: () => void go(`applications/${application.id}/import`),
  })
  return (
    <RemoveButton
      title="Delete the source?"
      text="Its secret, its mapping and the links of users to their records are lost. The users stay."
      action="Delete source"
      run={() => remove.mutate()}
    />
  )
}

/** Where people come from, and what may happen without asking. */
export function SourcePanel({ application, config }: Props) {
  const writable = useMay().write('applications')
  const go = useGo()
  const [values, setValues] = useState<Put>(config ? putOf(config) : { source: EMPTY.file })
  const [file, setFile] = useState<File | null>(null)
  const set = (part: Partial<Put>) => setValues({ ...values, ...part })
  const setSource: Set = (part) => set({ source: { ...values.source, ...part } as Source })
  const { source } = values
  const save = useChange({
    run: async (api) => {
      const saved = await put(application.id)(api, {
        ...values,
        // The default mapping depends on the kind.
        ...(config && config.source.kind !== source.kind && { mapping: null }),
      })
      if (file && source.kind === 'file') await upload(application.id)(api, file)
      return saved
    },
    touches: [keyOf(application.id)],
    done: () => 'Saved the source',
    after: () => void go(`applications/${application.id}/import`, { search: { view: 'mapping' } }),
    quiet: true,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  const stored =
    config?.source.kind === source.kind
      ? ((config.source.auth as Auth | undefined)?.type as Auth['type'] | undefined)
      : undefined
  return (
    <Stack maw={860}>
      <form onSubmit={submit}>
        <Panel
          title="Source"
          lead="People come from a file or another system, and become users by a mapping."
        >
          <fieldset disabled={!writable} style={{ border: 0, padding: 0, margin: 0 }}>
            <Stack>
              <SegmentedControl
                size="sm"
                aria-label="Kind of source"
                value={source.kind}
                onChange={(kind) => set({ source: EMPTY[kind as Kind] })}
                data={[
                  { value: 'file', label: 'File' },
                  { value: 'rest', label: 'REST API' },
                  { value: 'scim', label: 'SCIM' },
                ]}
              />
              {source.kind === 'file' ? (
                <FileFields
                  source={source}
                  set={setSource}
                  file={file}
                  setFile={setFile}
                  known={config?.file ?? null}
                />
              ) : (
                <ServiceFields source={source} set={setSource} stored={stored} />
              )}
              <SimpleGrid cols={{ base: 1, sm: 2 }}>
                {source.kind !== 'file' && (
                  <TextInput
                    size="sm"
                    label="Schedule"
                    description="Cron with five fields, in UTC; empty: only by hand"
                    placeholder="0 3 * * *"
                    value={values.schedule ?? ''}
                    onChange={(event) => set({ schedule: event.currentTarget.value || null })}
                  />
                )}
                <Select
                  size="sm"
                  label="People who are no longer there"
                  description="After they are absent from three reads in a row"
                  allowDeselect={false}
                  data={[
                    { value: 'ignore', label: 'Leave as they are' },
                    { value: 'suspend', label: 'Suspend' },
                  ]}
                  value={values.missing?.action ?? 'ignore'}
                  onChange={(action) =>
                    set({ missing: { ...values.missing, action: action as 'ignore' | 'suspend' } })
                  }
                />
                <NumberInput
                  size="sm"
                  label="Suspensions at once without asking"
                  description="A run with more waits for you"
                  min={0}
                  value={values.limits?.suspensions?.users ?? 100}
                  onChange={(users) =>
                    set({
                      limits: {
                        ...values.limits,
                        suspensions: { ...values.limits?.suspensions, users: Number(users) },
                      },
                    })
                  }
                />
              </SimpleGrid>
              <Switch
                label="Mail new users a link to their first password"
                checked={values.activationEmails ?? true}
                onChange={(event) => set({ activationEmails: event.currentTarget.checked })}
              />
              <Switch
                label="Only the import changes the fields it maps"
                checked={values.protectFields ?? source.kind !== 'file'}
                onChange={(event) => set({ protectFields: event.currentTarget.checked })}
              />
              <Advanced opened={!writable}>
                <AdvancedFields key={source.kind} source={source} set={setSource} />
              </Advanced>
            </Stack>
          </fieldset>
          <Problem error={save.error} />
          {writable && (
            <Group justify="space-between">
              <Button size="sm" type="submit" loading={save.isPending}>
                Save source
              </Button>
              {config && <Remove application={application} />}
            </Group>
          )}
        </Panel>
      </form>
      {config && writable && <Test application={application} />}
    </Stack>
  )
}
