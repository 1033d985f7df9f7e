import { Alert, Button, Group, Select, SimpleGrid, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react'
import { useState } from 'react'
import { counted, number } from '../../../ui/number.ts'
import { Panel } from '../../../ui/panel.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { Tag } from '../../../ui/tag.tsx'
import { When } from '../../../ui/when.tsx'
import { useChange } from '../../changes.ts'
import { type Search, To } from '../../link.tsx'
import { useMay, useOrganization } from '../../organization.ts'
import { startWork } from '../../tray/tray.ts'
import type { Application } from '../application.ts'
import { type Connection, isBusy, keyOf, type Status, useStatus } from './connection.ts'
import { MODES } from './modes.ts'
import classes from './provisioning.module.css'

const STATUS: Record<Status['status'], { tone: 'good' | 'calm' | 'bad'; label: string }> = {
  active: { tone: 'good', label: 'Active' },
  inactive: { tone: 'calm', label: 'Not active' },
  stopped: { tone: 'bad', label: 'Stopped' },
}

const seconds = (milliseconds: number | null) =>
  milliseconds === null ? '–' : `${(milliseconds / 1000).toFixed(1)} s`

function Counts({ application, status }: { application: Application; status: Status }) {
  const { users } = status
  const items: [string, number, Search][] = [
    ['Bound', users.bound, {}],
    ['Have their account', users.provisioned, { state: 'provisioned' }],
    ['Being written', users.waiting, { state: 'waiting' }],
    ['Failing', users.failing, {}],
    ['Gave up', users.parked, { state: 'parked' }],
    ['Not activated yet', users.staged, { state: 'staged' }],
    ['Suspended, no account', users.none, { state: 'none' }],
    ['Deactivated', users.deactivated, { state: 'deactivated' }],
    ['Deleted', users.deleted, { state: 'deleted' }],
  ]
  return (
    <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
      {items.map(([label, count, search]) => (
        <To
          key={label}
          to={`applications/${application.id}/provisioning`}
          search={{ view: 'accounts', ...search }}
          className={classes.count}
          data-bad={(['Failing', 'Gave up'].includes(label) && count > 0) || undefined}
        >
          <span className={classes.number}>{number.format(count)}</span>
          {label}
        </To>
      ))}
    </SimpleGrid>
  )
}

interface Finding {
  userName: string
  userId: string | null
  attributes?: string[]
}

interface Report {
  mode: string
  finished: string
  read: number
  matching: number
  missing: number
  changed: number
  unknown: number
  adopted: number
  differences: Record<'missing' | 'changed' | 'unknown', Finding[]>
}

const KINDS = {
  missing: 'Gone at the provider',
  changed: 'Changed at the provider',
  unknown: 'Not ours',
} as const

/** Of each kind. */
const MAX_SHOWN = 20

/** The tray shows how far the accounts are. */
function useFollow({ id, displayLabel, name }: Application) {
  const { id: organization } = useOrganization()
  return (what: string, comparedBefore?: string | null) =>
    startWork(organization, {
      kind: 'write-accounts',
      input: { applicationId: id, comparedBefore },
      title: `${what}: ${displayLabel || name}`,
      link: `applications/${id}/provisioning`,
      total: 0,
    })
}

function Drift({ application, status }: { application: Application; status: Status }) {
  const writable = useMay().provisions
  const follow = useFollow(application)
  const report = status.reconciliation as Report | null
  const [mode, setMode] = useState<'report' | 'repair' | 'adopt'>('report')
  const compare = useChange({
    run: (api) =>
      api.management.POST('/v2/applications/{application_id}/provisioning/reconcile', {
        params: { path: { application_id: application.id } },
        body: { mode },
      }),
    touches: [keyOf(application.id)],
    after: () => follow('Compare accounts', report?.finished ?? null),
  })
  return (
    <Panel
      title="Drift"
      lead={
        report ? (
          <>
            Compared <When time={report.finished} />: {report.matching} of {report.read} as they
            should be.{report.mode !== 'report' && ' What differed is written again.'}
          </>
        ) : (
          'Not compared with the provider yet.'
        )
      }
      action={
        writable && (
          <Group gap="xs">
            <Select
              size="sm"
              w={200}
              aria-label="What to do about differences"
              allowDeselect={false}
              data={MODES}
              value={mode}
              onChange={(value) => setMode(value as typeof mode)}
            />
            <Button size="sm" variant="default" onClick={() => compare.mutate()}>
              Compare now
            </Button>
          </Group>
        )
      }
    >
      {report &&
        (Object.keys(KINDS) as (keyof typeof KINDS)[])
          .filter((kind) => report[kind] > 0)
          .map((kind) => (
            <div key={kind}>
              <Text size="sm" fw={600}>
                {KINDS[kind]}: {report[kind]}
              </Text>
              {report.differences[kind]
                .slice(0, MAX_SHOWN)
                .map(({ userName, userId, attributes }) => (
                  <Text key={userName} size="sm">
                    {userId ? <To to={`users/${userId}`}>{userName}</To> : userName}
                    {attributes && ` · ${attributes.join(', ')}`}
                  </Text>
                ))}
              {report[kind] > MAX_SHOWN && (
                <Text size="sm" c="dimmed">
                  and {number.format(report[kind] - MAX_SHOWN)} more
                </Text>
              )}
            </div>
          ))}
    </Panel>
  )
}

/** How far it is, what fails, and how fast access ends. */
export function StatusPanel({
  application,
  connection,
}: {
  application: Application
  connection: Connection
}) {
  const may = useMay()
  const writable = may.write('applications')
  const follow = useFollow(application)
  const { data: status, error } = useStatus(application.id)
  const params = { path: { application_id: application.id } }
  const touches = [keyOf(application.id)]
  const activate = useChange({
    run: (api) =>
      api.management.POST('/v2/applications/{application_id}/provisioning/activate', { params }),
    touches,
    after: () => follow('Write accounts'),
  })
  const deactivate = useChange({
    run: (api) =>
      api.management.POST('/v2/applications/{application_id}/provisioning/deactivate', { params }),
    touches,
    done: () => 'Stopped; accounts stay as they are',
    undo: (api) =>
      api.management.POST('/v2/applications/{application_id}/provisioning/activate', { params }),
  })
  const confirm = useChange({
    run: (api) =>
      api.management.POST('/v2/applications/{application_id}/provisioning/plan/confirm', {
        params,
      }),
    touches,
    after: () => follow('Remove accounts'),
  })
  const active = connection.status === 'active'
  const look = STATUS[status?.status ?? connection.status]
  const clock = status?.deprovisioning
  // Accounts are counted from the first start on: before it, "0 bound" would be wrong.
  const untouched = !active && status?.users.bound === 0
  return (
    <Stack maw={1000}>
      <Panel
        title="Status"
        lead={
          <Group gap="xs" aria-live="polite">
            <Tag tone={look.tone}>{look.label}</Tag>
            {status?.dryRun && <Tag tone="calm">Only plans</Tag>}
            {isBusy(status) && <span>Writing…</span>}
            {status?.pausedUntil && (
              <span>
                The provider asked to wait until <When time={status.pausedUntil} />
              </span>
            )}
          </Group>
        }
        action={
          (active ? writable : may.provisions) && (
            <Button
              size="sm"
              variant={active ? 'default' : 'filled'}
              leftSection={
                active ? (
                  <IconPlayerStop size={16} aria-hidden />
                ) : (
                  <IconPlayerPlay size={16} aria-hidden />
                )
              }
              onClick={() => (active ? deactivate : activate).mutate()}
            >
              {active ? 'Stop writing accounts' : 'Start writing accounts'}
            </Button>
          )
        }
      >
        <Problem error={error} />
        {status?.statusReason && (
          <Alert color="orange" variant="light" icon={<IconAlertTriangle aria-hidden />}>
            {status.statusReason}
          </Alert>
        )}
        {status?.heldRemovals && (
          <Alert
            color="orange"
            variant="light"
            icon={<IconAlertTriangle aria-hidden />}
            title={`${counted(status.heldRemovals.users, 'removal')} waiting for you`}
          >
            <Stack gap="xs" align="flex-start">
              More than the limit at once, since <When time={status.heldRemovals.since} />.
              {writable && (
                <Button size="xs" onClick={() => confirm.mutate()}>
                  Remove {counted(status.heldRemovals.users, 'account')}
                </Button>
              )}
            </Stack>
          </Alert>
        )}
        {status &&
          (untouched ? (
            <Text size="sm">
              Nothing is written until you start it. The{' '}
              <To to={`applications/${application.id}/provisioning`} search={{ view: 'plan' }}>
                plan
              </To>{' '}
              shows what would be.
            </Text>
          ) : (
            <Counts application={application} status={status} />
          ))}
      </Panel>
      {clock && (
        <Panel
          title="How fast access ends"
          lead="From the change here to the confirmation there, in the last 30 days."
        >
          <Text size="sm">
            {clock.milliseconds.removals === 0 ? (
              'None in that time'
            ) : (
              <>
                {counted(clock.milliseconds.removals, 'removal')}: half within{' '}
                <b>{seconds(clock.milliseconds.p50)}</b>, 95 % within{' '}
                <b>{seconds(clock.milliseconds.p95)}</b>, 99 % within{' '}
                <b>{seconds(clock.milliseconds.p99)}</b>
              </>
            )}
            ; the goal is {clock.targetSeconds} s.
          </Text>
          {clock.waiting > 0 && (
            <Alert color="orange" variant="light" icon={<IconAlertTriangle aria-hidden />}>
              {clock.waiting} still have access there, for up to{' '}
              {Math.round(clock.oldestSeconds ?? 0)} s.
            </Alert>
          )}
        </Panel>
      )}
      {status && <Drift application={application} status={status} />}
    </Stack>
  )
}
