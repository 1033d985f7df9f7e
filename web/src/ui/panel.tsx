import { Group, Paper, Stack, Text, Title } from '@mantine/core'
import type { ReactNode, Ref } from 'react'
import classes from './panel.module.css'

interface Props {
  title: string
  lead?: ReactNode
  action?: ReactNode
  children?: ReactNode
  /** Focusable: focus returns here when the content it opened is closed. */
  ref?: Ref<HTMLElement>
}

export const Panel = ({ title, lead, action, children, ref }: Props) => (
  <Paper
    className={classes.panel}
    p="lg"
    component="section"
    aria-label={title}
    tabIndex={-1}
    {...(ref && { ref })}
  >
    <Stack>
      <Group justify="space-between" align="flex-start" gap="sm">
        <div className={classes.words}>
          <Title order={2} size="h4">
            {title}
          </Title>
          {lead && (
            <Text c="dimmed" size="sm" mt={2} component="div">
              {lead}
            </Text>
          )}
        </div>
        {action}
      </Group>
      {children}
    </Stack>
  </Paper>
)
