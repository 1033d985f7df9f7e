import { Button, Group, SegmentedControl, Stack } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { Panel } from '../../../ui/panel.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { useChange } from '../../changes.ts'
import { useGo } from '../../link.tsx'
import { useMay } from '../../organization.ts'
import { Advanced } from '../advanced.tsx'
import type { Application } from '../application.ts'
import type { Auth } from '../auth-field.tsx'
import { RemoveButton } from '../remove-button.tsx'
import { AdvancedFields } from './advanced-fields.tsx'
import { FileFields } from './file-fields.tsx'
import { PolicyFields } from './policy-fields.tsx'
import { ServiceFields } from './service-fields.tsx'
import { type Config, keyOf, type Put, put, putOf, type Source, upload } from './source.ts'
import { TestSource } from './test-source.tsx'

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

/** With the limits that the service sets by itself. */
const NEW: Put = {
  source: EMPTY.file,
  limits: { suspensions: { users: 100, percent: 10 }, changes: { users: null, percent: 50 } },
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
  const writable = useMay().imports
  const go = useGo()
  const [values, setValues] = useState<Put>(config ? putOf(config) : NEW)
  const [file, setFile] = useState<File | null>(null)
  const set = (part: Partial<Put>) => setValues({ ...values, ...part })
  const setSource = (part: object) => set({ source: { ...values.source, ...part } as Source })
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
              <PolicyFields values={values} set={set} />
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
      {config && writable && <TestSource application={application} />}
    </Stack>
  )
}
