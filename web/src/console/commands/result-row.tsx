import { Button, Code, Group, Loader, Text } from '@mantine/core'
import { IconAlertCircle, IconCheck, IconClock, IconLoader2 } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { dataOf } from '../../api/organization.ts'
import { Problem } from '../../ui/problem.tsx'
import { Tag } from '../../ui/tag.tsx'
import { When } from '../../ui/when.tsx'
import { useRead } from '../reads.ts'
import classes from './results.module.css'

type Status = 'queued' | 'fetched' | 'finished'

interface TagProps {
  status: Status
  exitCode: number | null | undefined
}

function ResultTag({ status, exitCode }: TagProps) {
  if (status === 'queued')
    return (
      <Tag tone="calm" Icon={IconClock}>
        Waiting for the device
      </Tag>
    )
  if (status === 'fetched')
    return (
      <Tag tone="calm" Icon={IconLoader2}>
        Running
      </Tag>
    )
  return exitCode === 0 ? (
    <Tag tone="good" Icon={IconCheck}>
      Succeeded
    </Tag>
  ) : (
    <Tag tone="bad" Icon={IconAlertCircle}>
      {typeof exitCode === 'number' ? `Exit code ${exitCode}` : 'Interrupted'}
    </Tag>
  )
}

function Output({ id }: { id: string }) {
  const { data, error } = useRead(['commands', 'result', id], async (api) =>
    dataOf(await api.management.GET('/commandresults/{id}', { params: { path: { id } } })),
  )
  if (error) return <Problem error={error} />
  if (!data) return <Loader size="sm" aria-label="Loading" />
  const { data: said, error: wrong } = data.response ?? {}
  return (
    <>
      {wrong && (
        <Text size="sm" c="var(--mantine-color-error)">
          {wrong}
        </Text>
      )}
      <Code block tabIndex={0} className={classes.output!}>
        {said?.output || 'It wrote nothing.'}
      </Code>
    </>
  )
}

interface Props extends TagProps {
  id: string
  title: ReactNode
  /** For screen readers, beside "Output". */
  name: string
  time: string | null | undefined
  /** Shows the output from the start. */
  opened?: boolean
}

/** A command on a device: its outcome, and its output on request. */
export function ResultRow({ id, title, name, time, status, exitCode, opened = false }: Props) {
  const [shown, setShown] = useState<boolean>()
  const open = shown ?? opened
  return (
    <li className={classes.result}>
      <Group justify="space-between" wrap="nowrap">
        <Group gap="sm">
          <span className={classes.title}>{title}</span>
          <ResultTag status={status} exitCode={exitCode} />
        </Group>
        <Group gap="sm" wrap="nowrap">
          {time && (
            <Text size="sm" c="dimmed" component="span">
              <When time={time} />
            </Text>
          )}
          {status === 'finished' && (
            <Button
              size="compact-sm"
              variant="subtle"
              aria-expanded={open}
              aria-label={`Output of ${name}`}
              onClick={() => setShown(!open)}
            >
              Output
            </Button>
          )}
        </Group>
      </Group>
      {status === 'finished' && open && <Output id={id} />}
    </li>
  )
}
