import { Group, Paper, Text, Title } from '@mantine/core'
import { IconCircle, IconCircleCheckFilled } from '@tabler/icons-react'
import { To } from '../link.tsx'
import classes from './home.module.css'
import { type Counts, useCounts } from './reads.ts'

interface Step {
  label: string
  about: string
  to: string
  count: keyof Counts
}

const STEPS: Step[] = [
  {
    label: 'Add people',
    about: 'By hand, from a file, or from another system',
    to: 'users',
    count: 'users',
  },
  {
    label: 'Connect an application',
    about: 'Single sign-on, and accounts that follow your people',
    to: 'applications',
    count: 'applications',
  },
  {
    label: 'Enrol a device',
    about: 'One line to paste on the machine',
    to: 'devices',
    count: 'systems',
  },
  {
    label: 'Forward events',
    about: 'To your SIEM, as they happen',
    to: 'settings/webhooks',
    count: 'forwarders',
  },
]

const Row = ({ step, done }: { step: Step; done: boolean }) => (
  <Group component="li" gap="sm" wrap="nowrap" className={classes.step}>
    {done ? (
      <IconCircleCheckFilled size={22} className={classes.done} aria-label="Done" />
    ) : (
      <IconCircle size={22} stroke={1.5} aria-label="To do" />
    )}
    <div>
      <Text size="sm" fw={600} component="div">
        <To to={step.to}>{step.label}</To>
      </Text>
      <Text size="sm" c="dimmed">
        {step.about}
      </Text>
    </div>
  </Group>
)

/** Ticks itself, and goes away when all is done. */
export function Checklist() {
  const { data } = useCounts()
  const steps = STEPS.filter(({ count }) => data?.[count] !== undefined)
  const isDone = ({ count }: Step) => (data?.[count] ?? 0) > 0
  if (steps.every(isDone)) return null
  return (
    <section>
      <Title order={2} size="h4" mb="sm">
        Getting started
      </Title>
      <Paper withBorder bg="var(--gh-surface)" component="ul" className={classes.steps}>
        {steps.map((step) => (
          <Row key={step.label} step={step} done={isDone(step)} />
        ))}
      </Paper>
    </section>
  )
}
