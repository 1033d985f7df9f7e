import { CloseButton, Group, Paper, Progress, Stack, Text, UnstyledButton } from '@mantine/core'
import { IconAlertCircle, IconCheck } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { number } from '../../ui/number.ts'
import { Tag } from '../../ui/tag.tsx'
import { useRoom } from '../../ui/use-room.ts'
import { To } from '../link.tsx'
import { useOrganization } from '../organization.ts'
import classes from './tray.module.css'
import { dismissWork, resumeWork, useWorks } from './tray.ts'
import { hasFailed, type Work } from './work.ts'

function Result({ work }: { work: Work }) {
  const { finished, failed, outcome, error, done, total } = work
  if (!finished)
    return (
      <Text size="xs" c="dimmed">
        {number.format(done)} of {number.format(total)}
      </Text>
    )
  if (hasFailed(work))
    return (
      <Tag tone="bad" Icon={IconAlertCircle}>
        {outcome ??
          (error ? 'Stopped' : `${number.format(failed.length)} of ${number.format(total)} failed`)}
      </Tag>
    )
  return (
    <Tag tone="good" Icon={IconCheck}>
      Done
    </Tag>
  )
}

function Item({ work, dismiss }: { work: Work; dismiss: () => void }) {
  const [opened, setOpened] = useState(false)
  const { title, link, search, failed, finished, done, total, error } = work
  return (
    <li className={classes.item}>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text
          size="sm"
          fw={600}
          component={To}
          to={link}
          {...(search && { search })}
          className={classes.title}
          truncate
        >
          {title}
        </Text>
        {finished && <CloseButton size="sm" aria-label={`Dismiss: ${title}`} onClick={dismiss} />}
      </Group>
      {!finished && (
        <Progress
          size="sm"
          my={4}
          value={total === 0 ? 0 : (100 * done) / total}
          aria-label={`Progress: ${title}`}
        />
      )}
      <Group justify="space-between">
        <Result work={work} />
        {failed.length > 0 && (
          <UnstyledButton fz="xs" aria-expanded={opened} onClick={() => setOpened(!opened)}>
            {opened ? 'Hide failures' : 'Show failures'}
          </UnstyledButton>
        )}
      </Group>
      {error && <Text size="xs">{error}</Text>}
      {opened && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: so that the keyboard can scroll it
        <ul className={classes.failures} tabIndex={0} aria-label={`Failures: ${title}`}>
          {failed.map(({ id, name, reason }) => (
            <li key={id}>
              {name ?? <To to={`users/${id}`}>{id}</To>} {reason}
            </li>
          ))}
        </ul>
      )}
    </li>
  )
}

const GAP_PX = 32

function Panel({ id, works }: { id: string; works: Work[] }) {
  // Pages scroll so far that nothing stays covered.
  const ref = useRoom('--gh-tray', GAP_PX)
  return (
    <Paper
      ref={ref}
      className={classes.tray}
      shadow="lg"
      component="section"
      aria-label="Work in progress"
    >
      <Stack component="ul" gap={0} className={classes.items} aria-live="polite">
        {works.map((work) => (
          <Item key={work.id} work={work} dismiss={() => dismissWork(id, work.id)} />
        ))}
      </Stack>
    </Paper>
  )
}

/** Long work of the organization, at the lower right of every page. */
export function Tray() {
  const { id } = useOrganization()
  const works = useWorks(id)
  useEffect(() => resumeWork(id), [id])
  return works.length === 0 ? null : <Panel id={id} works={works} />
}
