import { Accordion } from '@mantine/core'
import type { ReactNode } from 'react'

interface Props {
  /** From the start, for those who cannot press anything in the form. */
  opened: boolean
  children: ReactNode
}

/** Settings of a form that few need. */
export const Advanced = ({ opened, children }: Props) => (
  <Accordion variant="contained" order={3} defaultValue={opened ? 'advanced' : null}>
    <Accordion.Item value="advanced">
      <Accordion.Control fz="sm">Advanced</Accordion.Control>
      <Accordion.Panel>{children}</Accordion.Panel>
    </Accordion.Item>
  </Accordion>
)
