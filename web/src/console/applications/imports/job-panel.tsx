import { Alert, Button, Group, Progress, SegmentedControl, Stack, Text } from '@mantine/core'
import {
  type Icon,
  IconAlertTriangle,
  IconArrowBackUp,
  IconPlayerPlay,
  IconPlayerStop,
  IconRefresh,
} from '@tabler/icons-react'
import { useState } from 'react'
import { dataOf } from '../../../api/organization.ts'
import { counted } from '../../../ui/number.ts'
import { Panel } from '../../../ui/panel.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { Tag } from '../../../ui/tag.tsx'
import { When } from '../../../ui/when.tsx'
import { useChange } from '../../changes.ts'
import { EventsOfJob } from '../../events-of-job.tsx'
import { JobState } from '../../job-state.tsx'
import { To, useAddress, useGo } from '../../link.tsx'
import { useMay } from '../../organization.ts'
import { type Change, Diff } from '../../resource/diff.tsx'
import { Pager, usePage } from '../../resource/pager.tsx'
import type { Application } from '../application.ts'
import classes from '../mapping/mapping.module.css'
import {
  ACTIONS,
  type Action,
  type Create,
  isRunning,
  type Job,
  keyOf,
  personOf,
  type Result,
  useFollowJob,
  useJob,
  useResults,
  useStart,
} from './source.ts'

const LIMIT = 100

interface Meta {
  action?: Action
  userId?: string | null
  changes?: Change[]
  reason?: string
  success?: boolean
}

function Row({ row }: { row: Result }) {
  const [opened, setOpened] = useState(false)
  const { action = 'none', userId, changes = [], success } = row.meta as Meta
  const person = personOf(row.persistedFields)
  return (
    <>
      <tr>
        <th scope="row">{userId ? <To to={`users/${userId}`}>{person}</To> : person}</th>
        <td>
          <Tag tone={success === false ? 'bad' : ACTIONS[action].tone}>{ACTIONS[action].label}</Tag>
        </td>
        <td>{row.statusMsg}</td>
        <td>
          {changes.length > 0 && (
            <Button
              size="compact-sm"
              variant="subtle"
              aria-expanded={opened}
              aria-label={`${changes.length} changes of ${person}`}
              onClick={() => setOpened(!opened)}
            >
              {counted(changes.length, 'change')}
            </Button>
          )}
        </td>
      </tr>
      {opened && (
        <tr>
          <td colSpan={4}>
            <Diff changes={changes} />
          </td>
        </tr>
      )}
    </>
  )
}

function Rows({ application, job }: { application: Application; job: Job }) {
  const go = useGo()
  const failed = useAddress().only === 'failed'
  const page = usePage(LIMIT)
  const { data, error } = useResults(application.id, job, failed, page)
  return (
    <Panel
      title="People"
      action={
        <SegmentedControl
          size="xs"
          aria-label="Which rows"
          value={failed ? 'failed' : 'all'}
          onChange={(only) =>
            void go(`applications/${application.id}/import`, {
              search: { job: job.id, ...(only === 'failed' && { only }) },
              replace: true,
            })
          }
          data={[
            { value: 'all', label: 'All' },
            { value: 'failed', label: 'Failed' },
          ]}
        />
      }
    >
      <Problem error={error} />
      {data && data.rows.length > 0 && (
        <div className={classes.scroll}>
          <table className={classes.table} aria-label="People">
            <thead className={classes.head}>
              <tr>
                <th scope="col">Person</th>
                <th scope="col">{job.kind === 'undo' ? 'Taken back' : 'Action'}</th>
                <th scope="col">Result</th>
                <td />
              </tr>
            </thead>
            <tbody>
              {data.rows.map((row) => (
                <Row key={row.id} row={row} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {data && (
        <Pager to={`applications/${application.id}/import`} size={LIMIT} total={data.total} />
      )}
    </Panel>
  )
}

function useJobActions(application: Application, job: Job) {
  const follow = useFollowJob(application)
  const params = { path: { application_id: application.id, job_id: job.id } }
  const touches = [keyOf(application.id), ['users']]
  const step = (name: 'cancel' | 'confirm' | 'retry', done: string) => ({
    run: (api: Parameters<Parameters<typeof useChange>[0]['run']>[0]) =>
      api.management.POST(`/v2/applications/{application_id}/import/jobs/{job_id}/${name}`, {
        params,
      }),
    touches,
    done: () => done,
  })
  const cancel = useChange(step('cancel', 'Stopped; what is done stays done'))
  const goOn = () => follow('Import', job.id)
  const confirm = useChange({ ...step('confirm', 'The import goes on'), after: goOn })
  const retry = useChange({ ...step('retry', 'Trying the failed rows again'), after: goOn })
  const undo = useChange({
    run: async (api) =>
      dataOf(
        await api.management.POST('/v2/applications/{application_id}/import/jobs/{job_id}/undo', {
          params,
        }),
      ),
    touches,
    after: ({ jobId }) => follow('Undo', jobId),
  })
  return { cancel, confirm, retry, undo }
}

/** The run that a plan was made for. */
const importOf = ({ operations, allowUserReactivation, queryString, state }: Job): Create => ({
  operations,
  allowUserReactivation,
  queryString,
  ...(state && { state }),
  dryRun: false,
})

function Buttons({ application, job }: { application: Application; job: Job }) {
  const { cancel, confirm, retry, undo } = useJobActions(application, job)
  const start = useStart(application)
  const finished = job.status === 'finished' || job.status === 'cancelled'
  const buttons: { label: string; Icon: Icon; run: () => void; main?: boolean }[] = [
    ...(job.status === 'waiting'
      ? [{ label: 'Go ahead', Icon: IconPlayerPlay, run: () => confirm.mutate(), main: true }]
      : []),
    ...(job.dryRun && job.status === 'finished'
      ? [
          {
            label: 'Import',
            Icon: IconPlayerPlay,
            run: () => start.mutate(importOf(job)),
            main: true,
          },
        ]
      : []),
    ...(isRunning(job) || job.status === 'waiting'
      ? [{ label: 'Cancel import', Icon: IconPlayerStop, run: () => cancel.mutate() }]
      : []),
    ...(job.status === 'failed' || (finished && job.failed > 0 && !job.dryRun)
      ? [{ label: 'Retry failed', Icon: IconRefresh, run: () => retry.mutate() }]
      : []),
    ...(finished && job.kind === 'import' && !job.dryRun && job.succeeded > 0
      ? [{ label: 'Undo import', Icon: IconArrowBackUp, run: () => undo.mutate() }]
      : []),
  ]
  return (
    <Group gap="xs">
      {buttons.map(({ label, Icon, run, main = false }) => (
        <Button
          key={label}
          size="sm"
          variant={main ? 'filled' : 'default'}
          leftSection={<Icon size={16} aria-hidden />}
          onClick={run}
        >
          {label}
        </Button>
      ))}
    </Group>
  )
}

/** One run: how far it is, what it planned, and what became of each person. */
export function JobPanel({ application, id }: { application: Application; id: string }) {
  const writable = useMay().imports
  const { data: job, error } = useJob(application.id, id)
  if (!job) return <Problem error={error} />
  const planned = Object.entries(job.planned).filter(([, count]) => count > 0)
  const done = job.total === 0 ? 0 : ((job.total - job.pending) * 100) / job.total
  return (
    <Stack maw={1100}>
      <Panel
        title={job.kind === 'undo' ? 'Undo' : job.dryRun ? 'Plan' : 'Import'}
        lead={
          <Group gap="xs" aria-live="polite">
            <JobState state={job.status} />
            <span>
              started <When time={job.created} />
            </span>
            {!job.dryRun && <EventsOfJob id={job.id} />}
          </Group>
        }
        action={writable && <Buttons application={application} job={job} />}
      >
        {job.statusReason && (
          <Alert color="orange" variant="light" icon={<IconAlertTriangle aria-hidden />}>
            {job.statusReason}
          </Alert>
        )}
        {isRunning(job) && <Progress value={done} animated aria-label="Progress" />}
        <Group gap="lg">
          {planned.map(([action, count]) => (
            <Text key={action} size="sm">
              <b>{count}</b> {ACTIONS[action as Action].label.toLowerCase()}
            </Text>
          ))}
          {!job.dryRun && (
            <Text size="sm">
              <b>{job.succeeded}</b> done, <b>{job.failed}</b> failed
            </Text>
          )}
        </Group>
      </Panel>
      <Rows application={application} job={job} />
    </Stack>
  )
}
