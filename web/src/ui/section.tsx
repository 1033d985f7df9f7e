import { Group, Paper, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

interface Props {
  title: string
  /** A line below the title. */
  about?: ReactNode
  action?: ReactNode
  children: ReactNode
}

/** A part of a page, on a sheet of its own. */
export const Section = ({ title, about, action, children }: Props) => (
  <Paper p="lg" withBorder component="section" bg="var(--gh-surface)" aria-label={title}>
    <Group justify="space-between" align="flex-start" mb="sm">
      <div>
        <Title order={2} size="h5">
          {title}
        </Title>
        {about && (
          <Text size="sm" c="dimmed" component="div">
            {about}
          </Text>
        )}
      </div>
      {action}
    </Group>
    {children}
  </Paper>
)
