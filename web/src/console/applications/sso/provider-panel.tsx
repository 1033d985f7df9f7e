import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconFileImport } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { type Api, dataOf } from '../../../api/organization.ts'
import { Panel } from '../../../ui/panel.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { SaveBar } from '../../../ui/save-bar.tsx'
import { useChange } from '../../changes.ts'
import { useMay } from '../../organization.ts'
import { type Change, Diff } from '../../resource/diff.tsx'
import { type Application, applicationKey, writeOf } from '../application.ts'
import { MetadataField, metadataBody, NO_METADATA } from '../metadata-field.tsx'
import { configOf, entriesOf, settingError, type Values, valuesOf } from '../settings.ts'
import { SettingsFields } from '../settings-fields.tsx'
import { Followed } from './followed.tsx'

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

type WithConfig = { config: object }

function changesBetween(before: WithConfig, after: WithConfig): Change[] {
  const [from, to] = [valuesOf(before.config), valuesOf(after.config)]
  return entriesOf(after.config)
    .filter(({ name }) => !same(from[name], to[name]))
    .map(({ name, label }) => ({ field: label, from: from[name], to: to[name] }))
}

/** Reads the settings from metadata: first what would change, then the change. */
function ImportForm({ application, close }: { application: Application; close: () => void }) {
  const [metadata, setMetadata] = useState(NO_METADATA)
  const send = (preview: boolean) => async (api: Api) =>
    dataOf(
      await api.management.POST('/v2/applications/{application_id}/spmetadata', {
        params: { path: { application_id: application.id }, query: { preview } },
        body: metadataBody(metadata),
      }),
    )
  const look = useChange({ run: send(true), touches: [], quiet: true })
  const apply = useChange({
    run: send(false),
    touches: [['applications', application.id]],
    done: () => 'Read the settings from the metadata',
    after: close,
    quiet: true,
  })
  const changes = look.data && changesBetween(application, look.data)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (changes) apply.mutate()
    else look.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <MetadataField
          value={metadata}
          onChange={(value) => {
            setMetadata(value)
            if (value.url !== metadata.url || value.xml !== metadata.xml) look.reset()
          }}
        />
        <Problem error={look.error ?? apply.error} />
        {changes?.length === 0 && <Text size="sm">Everything is as the metadata says.</Text>}
        {changes && changes.length > 0 && <Diff changes={changes} />}
        <Group justify="flex-end">
          <Button size="sm" variant="default" onClick={close}>
            Cancel
          </Button>
          <Button
            size="sm"
            type="submit"
            disabled={
              (metadata.url === '' && metadata.xml === '') ||
              (changes?.length === 0 && !metadata.follow)
            }
            loading={look.isPending || apply.isPending}
          >
            {changes ? 'Apply changes' : 'Show changes'}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** What we know of the service provider. */
export function ProviderPanel({ application }: { application: Application }) {
  const writable = useMay().write('applications')
  const [importing, { open, close }] = useDisclosure()
  const known = valuesOf(application.config)
  // Only what was edited: the rest follows the application, which others may change.
  const [edited, setEdited] = useState<Values>({})
  const values = { ...known, ...edited }
  const save = useChange({
    run: (api) =>
      api.management.PUT('/applications/{id}', {
        params: { path: { id: application.id } },
        body: {
          ...writeOf(application),
          config: { ...application.config, ...configOf(edited) },
        },
      }),
    touches: [['applications', application.id]],
    done: () => 'Saved the settings',
    after: () => setEdited({}),
    expect: { key: applicationKey(application.id), change: (cached: Application) => cached },
    quiet: true,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  const dirty = Object.keys(edited).length > 0
  return (
    <Panel
      title="Service provider"
      lead="Where assertions go, and what they say."
      action={
        writable && (
          <Button
            size="sm"
            variant="default"
            leftSection={<IconFileImport size={16} aria-hidden />}
            onClick={open}
          >
            Read metadata
          </Button>
        )
      }
    >
      <Followed application={application} />
      <form onSubmit={submit}>
        <Stack>
          <SettingsFields
            entries={entriesOf(application.config)}
            values={values}
            set={(name, value) => setEdited({ ...edited, [name]: value })}
            readOnly={!writable}
            order={3}
            error={save.error}
          />
          {!settingError(save.error) && <Problem error={save.error} />}
          {writable && (
            <SaveBar
              label="Save settings"
              dirty={dirty}
              saving={save.isPending}
              discard={() => setEdited({})}
            />
          )}
        </Stack>
      </form>
      <Modal opened={importing} onClose={close} title="Read the settings from metadata" size="lg">
        <ImportForm application={application} close={close} />
      </Modal>
    </Panel>
  )
}
