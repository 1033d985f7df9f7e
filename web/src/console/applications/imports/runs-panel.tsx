import { Button, Group, Select, Stack, Text } from '@mantine/core'
import { IconListCheck, IconPlayerPlay } from '@tabler/icons-react'
import { useState } from 'react'
import { dataOf } from '../../../api/organization.ts'
import { Panel } from '../../../ui/panel.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { When } from '../../../ui/when.tsx'
import { useChange } from '../../changes.ts'
import { To, useGo } from '../../link.tsx'
import { useMay } from '../../organization.ts'
import type { Application } from '../application.ts'
import classes from '../mapping/mapping.module.css'
import { JobState } from './job-state.tsx'
import { type Config, type Job, keyOf, useJobs } from './source.ts'

type Operation = 'users.create' | 'users.update'

const OPERATIONS: Record<string, Operation[]> = {
  both: ['users.create', 'users.update'],
  create: ['users.create'],
  update: ['users.update'],
}

const kindOf = ({ kind, dryRun }: Job) => (kind === 'undo' ? 'Undo' : dryRun ? 'Plan' : 'Import')

/** Starts an import, and lists those that were. */
export function RunsPanel({ application, config }: { application: Application; config: Config }) {
  const writable = useMay().write('applications')
  const go = useGo()
  const [what, setWhat] = useState('both')
  const { data, error } = useJobs(application.id)
  const start = useChange({
    run: async (api, dryRun: boolean) =>
      dataOf(
        await api.management.POST('/v2/applications/{application_id}/import/jobs', {
          params: { path: { application_id: application.id } },
          body: { operations: OPERATIONS[what] ?? [], dryRun },
        }),
      ),
    touches: [keyOf(application.id), ['users'], ['home']],
    after: ({ jobId }) =>
      void go(`applications/${application.id}/import`, { search: { job: jobId } }),
    quiet: true,
  })
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
              <Select
                size="sm"
                aria-label="What to do"
                allowDeselect={false}
                data={[
                  { value: 'both', label: 'Create and update users' },
                  { value: 'create', label: 'Only create users' },
                  { value: 'update', label: 'Only update users' },
                ]}
                value={what}
                onChange={(value) => setWhat(value ?? 'both')}
              />
              <Button
                size="sm"
                variant="default"
                leftSection={<IconListCheck size={16} aria-hidden />}
                loading={start.isPending && start.variables === true}
                onClick={() => start.mutate(true)}
              >
                Plan
              </Button>
              <Button
                size="sm"
                leftSection={<IconPlayerPlay size={16} aria-hidden />}
                loading={start.isPending && start.variables === false}
                onClick={() => start.mutate(false)}
              >
                Import
              </Button>
            </Group>
          )
        }
      >
        <Problem error={start.error ?? error} />
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
                      <To to={`applications/${application.id}/import`} search={{ job: job.id }}>
                        {kindOf(job)}
                      </To>
                    </th>
                    <td>
                      <JobState job={job} />
                    </td>
                    <td>{job.total}</td>
                    <td>{job.failed}</td>
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
