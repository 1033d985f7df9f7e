import { Group, Paper, Text, Title } from '@mantine/core'
import { IconCircle, IconCircleCheckFilled } from '@tabler/icons-react'
import type { Api } from '../../api/organization.ts'
import { AREAS } from '../areas.ts'
import { To } from '../link.tsx'
import { useMay } from '../organization.ts'
import { useRead } from '../reads.ts'
import { applications, devices, forwarders, users } from './counts.ts'
import classes from './home.module.css'

interface Step {
  label: string
  about: string
  scope: string
  area: string
  count: (api: Api) => Promise<number>
}

const STEPS: Step[] = [
  {
    label: 'Add people',
    about: 'By hand, from a file, or from another system',
    scope: 'users',
    area: 'users',
    count: users,
  },
  {
    label: 'Connect an application',
    about: 'Single sign-on, and accounts that follow your people',
    scope: 'applications',
    area: 'applications',
    count: applications,
  },
  {
    label: 'Enrol a device',
    about: 'One line to paste on the machine',
    scope: 'systems',
    area: 'devices',
    count: devices,
  },
  {
    label: 'Forward events',
    about: 'To your SIEM, as they happen',
    scope: 'insights',
    area: 'insights',
    count: forwarders,
  },
]

function Row({ step }: { step: Step }) {
  const { data } = useRead(['home', step.label], step.count)
  const done = data !== undefined && data > 0
  const built = AREAS.some(({ path }) => path === step.area)
  return (
    <Group component="li" gap="sm" wrap="nowrap" className={classes.step}>
      {done ? (
        <IconCircleCheckFilled size={22} className={classes.done} aria-label="Done" />
      ) : (
        <IconCircle size={22} stroke={1.5} aria-label="To do" />
      )}
      <div>
        <Text size="sm" fw={600} component="div">
          {built ? <To to={step.area}>{step.label}</To> : step.label}
        </Text>
        <Text size="sm" c="dimmed">
          {step.about}
        </Text>
      </div>
    </Group>
  )
}

/** Ticks itself. */
export function Checklist() {
  const may = useMay()
  return (
    <section>
      <Title order={2} size="h4" mb="sm">
        Getting started
      </Title>
      <Paper withBorder bg="var(--gh-surface)" component="ul" className={classes.steps}>
        {STEPS.filter(({ scope }) => may.read(scope)).map((step) => (
          <Row key={step.label} step={step} />
        ))}
      </Paper>
    </section>
  )
}
