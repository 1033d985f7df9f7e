import { Paper, Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { BrandMark } from './brand.tsx'
import classes from './sheet.module.css'

interface Props {
  title: string
  lead?: ReactNode
  children: ReactNode
}

/** A page with a single task. */
export function Sheet({ title, lead, children }: Props) {
  useDocumentTitle(`${title} · Gatehouse`)
  return (
    <main className={classes.page}>
      <div className={classes.column}>
        <BrandMark />
        <Paper className={classes.sheet} p={{ base: 'lg', xs: 'xl' }} radius="lg">
          <Stack gap="lg">
            <div>
              <Title order={1} ta="center">
                {title}
              </Title>
              {lead && (
                <Text c="dimmed" ta="center" mt={6} component="div">
                  {lead}
                </Text>
              )}
            </div>
            {children}
          </Stack>
        </Paper>
      </div>
    </main>
  )
}
