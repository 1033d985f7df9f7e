import { Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { IconEye } from '@tabler/icons-react'
import { useState } from 'react'
import { type Api, dataOf } from '../../../api/organization.ts'
import { Panel } from '../../../ui/panel.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { Tag } from '../../../ui/tag.tsx'
import { useChange } from '../../changes.ts'
import { useGo } from '../../link.tsx'
import { useMay } from '../../organization.ts'
import type { Application } from '../application.ts'
import { EditMapping } from '../mapping/edit-mapping.tsx'
import { fitted, unread } from '../mapping/fit.ts'
import classes from '../mapping/mapping.module.css'
import { RuleResults } from '../mapping/rule-results.tsx'
import type { Mapping } from '../mapping/rules.ts'
import {
  ACTIONS,
  type Config,
  keyOf,
  type Preview,
  personOf,
  put,
  putOf,
  useMembers,
} from './source.ts'

const MAX_UNREAD = 10

function Row({ record }: { record: Preview }) {
  const [opened, setOpened] = useState(false)
  const person = personOf({ ...record.user, externalId: record.externalId })
  return (
    <>
      <tr>
        <th scope="row">{person}</th>
        <td>
          <Tag tone={ACTIONS[record.action].tone}>{ACTIONS[record.action].label}</Tag>
        </td>
        <td>{record.message ?? record.changes.map(({ field }) => field).join(', ')}</td>
        <td>
          <Button
            size="compact-sm"
            variant="subtle"
            aria-expanded={opened}
            aria-label={`Rules for ${person}`}
            onClick={() => setOpened(!opened)}
          >
            Rules
          </Button>
        </td>
      </tr>
      {opened && (
        <tr>
          <td colSpan={4}>
            <RuleResults
              rows={record.rules.filter(({ missing }) => !missing)}
              label={`Rules for ${person}`}
            />
          </td>
        </tr>
      )}
    </>
  )
}

/** From a record to a user, tried on live records before it is saved. */
export function MappingPanel({
  application,
  config,
}: {
  application: Application
  config: Config
}) {
  const writable = useMay().imports
  const go = useGo()
  const { data: members, error: unreachable } = useMembers(application.id, writable)
  const [fit, setFit] = useState<Mapping>()
  // The first line of a CSV file names all its fields; of others, the first records may lack some.
  const isCsv = config.source.kind === 'file' && config.source.format === 'csv'
  const start = fit ?? (isCsv && members ? fitted(config.mapping, members) : config.mapping)
  const [edited, setEdited] = useState<Mapping | null>()
  const mapping = edited === undefined ? start : edited
  const waits = isCsv && writable && !members && !unreachable
  const others = mapping && members ? unread(mapping, members) : []
  const preview = useChange({
    run: async (api) =>
      dataOf(
        await api.management.POST('/v2/applications/{application_id}/import/config/preview', {
          params: { path: { application_id: application.id } },
          body: { ...(mapping && { mapping }) },
        }),
      ),
    touches: [],
    quiet: true,
  })
  const save = (api: Api, mapping: Mapping) =>
    put(application.id)(api, { ...putOf(config), mapping })
  const proceed = () => void go(`applications/${application.id}/import`)
  const saving = useChange({
    run: save,
    touches: [keyOf(application.id)],
    after: proceed,
    quiet: true,
  })
  return (
    <Stack maw={1100}>
      <Panel
        title="Preview"
        lead="What the mapping below makes of the first records; nothing is saved."
        action={
          writable && (
            <Group gap="xs">
              <Button
                size="sm"
                variant="default"
                leftSection={<IconEye size={16} aria-hidden />}
                disabled={!mapping || waits}
                loading={preview.isPending}
                onClick={() => preview.mutate()}
              >
                Preview records
              </Button>
              <Button
                size="sm"
                disabled={!mapping}
                loading={saving.isPending}
                onClick={() => (edited ? saving.mutate(edited) : proceed())}
              >
                Continue to import
              </Button>
            </Group>
          )
        }
      >
        <Problem error={preview.error ?? saving.error} />
        {preview.data?.length === 0 && <Text size="sm">The source has no records.</Text>}
        {preview.data && preview.data.length > 0 && (
          <div className={classes.scroll}>
            <table className={classes.table} aria-label="Records">
              <thead className={classes.head}>
                <tr>
                  <th scope="col">Person</th>
                  <th scope="col">What would happen</th>
                  <th scope="col">Fields</th>
                  <td />
                </tr>
              </thead>
              <tbody>
                {preview.data.map((record, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: in the order of the source
                  <Row key={at} record={record} />
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Panel>
      {waits ? (
        <Skeleton h={320} />
      ) : (
        <EditMapping
          key={fit ? 'fitted' : 'stored'}
          writable={writable}
          lead={
            <>
              How fields of a record become fields of a user.
              {others.length > 0 && <> No rule reads {others.slice(0, MAX_UNREAD).join(', ')}</>}
              {others.length > MAX_UNREAD && <> and {others.length - MAX_UNREAD} more</>}
              {others.length > 0 && '.'}
            </>
          }
          action={
            writable &&
            !isCsv &&
            members &&
            mapping &&
            fitted(mapping, members).length < mapping.length && (
              <Button
                size="compact-sm"
                variant="default"
                onClick={() => {
                  setFit(fitted(mapping, members))
                  setEdited(undefined)
                }}
              >
                Keep only rules that read these records
              </Button>
            )
          }
          columns={['Field of the user', 'From the record']}
          suggestions={members ?? []}
          stored={start}
          mapping={mapping}
          onChange={setEdited}
          save={save}
          touches={keyOf(application.id)}
        />
      )}
    </Stack>
  )
}
