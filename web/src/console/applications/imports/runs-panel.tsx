import { Button, Group, Select, SimpleGrid, Stack, Switch, Text, TextInput } from '@mantine/core'
import { IconListCheck, IconPlayerPlay } from '@tabler/icons-react'
import { useState } from 'react'
import { number } from '../../../ui/number.ts'
import { Panel } from '../../../ui/panel.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { When } from '../../../ui/when.tsx'
import { JobState } from '../../job-state.tsx'
import { To } from '../../link.tsx'
import { useMay } from '../../organization.ts'
import type { Application } from '../application.ts'
import classes from '../mapping/mapping.module.css'
import { OPERATIONS } from './operations.ts'
import { type Config, type Create, type Job, useJobs, useStart } from './source.ts'

/** How this run differs from others. */
interface Options {
  what: string
  /** Empty: as the mapping or the settings of the organization say. */
  state: '' | NonNullable<Create['state']>
  reactivate: boolean
  query: string
}

const bodyOf = ({ what, state, reactivate, query }: Options, dryRun: boolean): Create => ({
  operations: OPERATIONS.find(({ value }) => value === what)?.operations ?? [],
  allowUserReactivation: reactivate,
  dryRun,
  ...(state && { state }),
  ...(query && { queryString: query }),
})

interface OptionsProps {
  kind: Config['source']['kind']
  options: Options
  set: (options: Options) => void
}

function OptionFields({ kind, options, set }: OptionsProps) {
  const { what, state, reactivate, query } = options
  return (
    <SimpleGrid cols={{ base: 1, sm: kind === 'file' ? 2 : 3 }}>
      <Select
        size="sm"
        label="What to do"
        allowDeselect={false}
        data={OPERATIONS.map(({ value, label }) => ({ value, label }))}
        value={what}
        onChange={(value) => set({ ...options, what: value ?? 'both' })}
      />
      {what !== 'update' && (
        <Select
          size="sm"
          label="State of new users"
          allowDeselect={false}
          data={[
            { value: '', label: 'As the mapping or the settings say' },
            { value: 'ACTIVATED', label: 'Active' },
            { value: 'STAGED', label: 'Staged: activate later' },
            { value: 'SUSPENDED', label: 'Suspended' },
          ]}
          value={state}
          onChange={(value) => set({ ...options, state: (value ?? '') as Options['state'] })}
        />
      )}
      {kind !== 'file' && (
        <TextInput
          size="sm"
          label={kind === 'scim' ? 'Filter of this run' : 'Query of this run'}
          placeholder={kind === 'scim' ? 'userType eq "Employee"' : 'department=Sales'}
          value={query}
          onChange={({ currentTarget }) => set({ ...options, query: currentTarget.value })}
        />
      )}
      {what !== 'create' && (
        <Switch
          label="Reactivate suspended users who are there again"
          checked={reactivate}
          onChange={({ currentTarget }) => set({ ...options, reactivate: currentTarget.checked })}
        />
      )}
    </SimpleGrid>
  )
}

const kindOf = ({ kind, dryRun }: Job) => (kind === 'undo' ? 'Undo' : dryRun ? 'Plan' : 'Import')

/** Starts an import, and lists those that were. */
export function RunsPanel({ application, config }: { application: Application; config: Config }) {
  const writable = useMay().imports
  const [options, setOptions] = useState<Options>({
    what: 'both',
    state: '',
    reactivate: config.allowUserReactivation,
    query: '',
  })
  const { data, error } = useJobs(application.id)
  const path = `applications/${application.id}/import`
  const start = useStart(application)
  return (
    <Stack maw={1100}>
      <Panel
        title="Import people"
        lead={
          config.nextRun ? (
            <>
              Next by the schedule <When time={config.nextRun} />
            </>
          ) : (
            'A plan changes nothing; an import can be taken back.'
          )
        }
        action={
          writable && (
            <Group gap="xs">
              <Button
                size="sm"
                variant="default"
                leftSection={<IconListCheck size={16} aria-hidden />}
                loading={start.isPending && start.variables.dryRun === true}
                onClick={() => start.mutate(bodyOf(options, true))}
              >
                Plan
              </Button>
              <Button
                size="sm"
                leftSection={<IconPlayerPlay size={16} aria-hidden />}
                loading={start.isPending && start.variables.dryRun === false}
                onClick={() => start.mutate(bodyOf(options, false))}
              >
                Import
              </Button>
            </Group>
          )
        }
      >
        {writable && <OptionFields kind={config.source.kind} options={options} set={setOptions} />}
        <Problem error={error} />
        {data?.rows.length === 0 && (
          <Text size="sm" c="dimmed">
            Nothing has been imported yet.
          </Text>
        )}
        {data && data.rows.length > 0 && (
          <div className={classes.scroll}>
            <table className={classes.table} aria-label="Runs">
              <thead className={classes.head}>
                <tr>
                  <th scope="col">Run</th>
                  <th scope="col">State</th>
                  <th scope="col">People</th>
                  <th scope="col">Failed</th>
                  <th scope="col">Started</th>
                </tr>
              </thead>
              <tbody>
                {data.rows.map((job) => (
                  <tr key={job.id}>
                    <th scope="row">
                      <To to={path} search={{ job: job.id }}>
                        {kindOf(job)}
                      </To>
                    </th>
                    <td>
                      <JobState state={job.status} />
                    </td>
                    <td>
                      <To to={path} search={{ job: job.id }}>
                        {number.format(job.total)}
                      </To>
                    </td>
                    <td>
                      <To to={path} search={{ job: job.id, only: 'failed' }}>
                        {number.format(job.failed)}
                      </To>
                    </td>
                    <td>
                      <When time={job.created} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Panel>
    </Stack>
  )
}
