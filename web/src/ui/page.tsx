import { Center, Group, Loader, Stack, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { Problem } from './problem.tsx'

interface Props {
  title: string
  /** Beside the title. */
  aside?: ReactNode
  children: ReactNode
}

export function Page({ title, aside, children }: Props) {
  useDocumentTitle(`${title} · Gatehouse`)
  return (
    <Stack gap="lg">
      <Group justify="space-between" gap="md">
        <Title order={1}>{title}</Title>
        {aside}
      </Group>
      {children}
    </Stack>
  )
}

interface LoadedProps<T> {
  query: { data: T | undefined; error: Error | null }
  children: (data: T) => ReactNode
}

/** The result of a query, or its loading state. */
export function Loaded<T>({ query: { data, error }, children }: LoadedProps<T>) {
  if (data !== undefined) return children(data)
  if (error) return <Problem error={error} />
  return (
    <Center py="xl">
      <Loader aria-label="Loading" />
    </Center>
  )
}
