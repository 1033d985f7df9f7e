import { Stack, Title } from '@mantine/core'
import { To, useAddress } from '../link.tsx'
import type { Command } from './command.ts'
import { PastResults } from './past-results.tsx'
import { RunPanel } from './run-panel.tsx'

/** The run in the address, then everything that has come back. */
export function ResultsTab({ command }: { command: Command }) {
  const { run } = useAddress()
  return (
    <Stack maw={960} gap="lg">
      {run && <RunPanel key={run} command={command} run={run} />}
      <Stack gap="xs" component="section">
        <Title order={2} size="h5">
          Latest results
        </Title>
        <PastResults
          owner={['commands', command.id]}
          filter={`workflowId:$eq:${command.id}`}
          titleOf={({ system, systemId }) => <To to={`devices/${systemId}`}>{system}</To>}
          empty="No result yet. Run the command, and they appear here as they come."
        />
      </Stack>
    </Stack>
  )
}
