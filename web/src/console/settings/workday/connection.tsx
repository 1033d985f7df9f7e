import { Button, Group, Modal, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconAlertCircle, IconCircleCheck, IconClock, IconKeyOff } from '@tabler/icons-react'
import { useState } from 'react'
import { Confirm, type Question } from '../../../ui/confirm.tsx'
import { Facts } from '../../../ui/facts.tsx'
import { Section } from '../../../ui/section.tsx'
import { Tag } from '../../../ui/tag.tsx'
import { When } from '../../../ui/when.tsx'
import { useChange } from '../../changes.ts'
import { useMay } from '../../organization.ts'
import { AddressForm } from './address.tsx'
import { ChangeCredentials } from './credentials.tsx'
import { hasCredentials, KEY, type Workday } from './report.ts'

interface Props {
  workday: Workday
  /** Why it could not be read just now; the record may be older. */
  failure: string | null
}

const TAGS = {
  none: { tone: 'warn', Icon: IconKeyOff, label: 'No credentials' },
  readable: { tone: 'good', Icon: IconCircleCheck, label: 'Can be read' },
  unreadable: { tone: 'bad', Icon: IconAlertCircle, label: 'Cannot be read' },
  untried: { tone: 'calm', Icon: IconClock, label: 'Not read yet' },
} as const

function ReportState({ workday, failure }: Props) {
  const { isValid = false, message = '' } = workday.auth?.basic ?? {}
  const reason = failure ?? message
  const state = !hasCredentials(workday)
    ? 'none'
    : isValid && !failure
      ? 'readable'
      : reason
        ? 'unreadable'
        : 'untried'
  const { tone, Icon, label } = TAGS[state]
  return (
    <span role="status">
      <Tag tone={tone} Icon={Icon}>
        {label}
      </Tag>{' '}
      {state === 'unreadable' && reason}
    </span>
  )
}

function useRemovals({ id }: Workday) {
  const deauthorize = useChange({
    run: (api) =>
      api.management.DELETE('/v2/workdays/{workday_id}/auth', {
        params: { path: { workday_id: id } },
      }),
    touches: [KEY],
    done: () => 'Removed the credentials',
  })
  const disconnect = useChange({
    run: (api) => api.management.DELETE('/v2/workdays/{id}', { params: { path: { id } } }),
    touches: [KEY],
    done: () => 'Disconnected Workday',
  })
  const questions = {
    credentials: {
      title: 'Remove the credentials?',
      text: 'The report cannot be read until there are others. This cannot be undone.',
      action: 'Remove credentials',
      run: () => deauthorize.mutate(),
    },
    workday: {
      title: 'Disconnect Workday?',
      text: 'The address, the credentials and the results of imports are lost. Users who were imported stay. This cannot be undone.',
      action: 'Disconnect Workday',
      run: () => disconnect.mutate(),
    },
  } satisfies Record<string, Question>
  return questions
}

function Actions({ workday }: { workday: Workday }) {
  const [changing, { open, close }] = useDisclosure()
  const [question, ask] = useState<Question | null>(null)
  const questions = useRemovals(workday)
  const stored = hasCredentials(workday)
  const title = stored ? 'Change credentials' : 'Add credentials'
  return (
    <Group gap="xs">
      <Button size="sm" variant="default" onClick={open}>
        {title}
      </Button>
      {stored && (
        <Button size="sm" variant="default" onClick={() => ask(questions.credentials)}>
          Remove credentials
        </Button>
      )}
      <Button
        size="sm"
        variant="default"
        c="var(--mantine-color-error)"
        onClick={() => ask(questions.workday)}
      >
        Disconnect Workday
      </Button>
      <Modal opened={changing} onClose={close} title={title}>
        {changing && <ChangeCredentials workday={workday} close={close} />}
      </Modal>
      <Confirm question={question} close={() => ask(null)} />
    </Group>
  )
}

/** Where the report is, and whether it can be read. */
export function Connection({ workday, failure }: Props) {
  const may = useMay()
  const writable = may.write('directories') && may.write('users')
  const { reportUrl, lastImport } = workday
  return (
    <Section title="Report" action={writable && <Actions workday={workday} />}>
      <Stack gap="sm">
        {writable && <AddressForm key={reportUrl} workday={workday} />}
        <Facts
          items={[
            ...(writable ? [] : [{ label: 'Address of the report', aside: reportUrl }]),
            { label: 'State', aside: <ReportState workday={workday} failure={failure} /> },
            { label: 'Last import', aside: lastImport ? <When time={lastImport} /> : 'Never' },
          ]}
        />
      </Stack>
    </Section>
  )
}
