import { Button, Group, Select } from '@mantine/core'
import { IconUserPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { Confirm, type Question } from '../../../ui/confirm.tsx'
import { useGo } from '../../link.tsx'
import type { State, Worker } from './entries.ts'
import { PATH, type Workday } from './report.ts'
import { useImport, workersWords } from './use-import.ts'

const STATES = [
  { value: '', label: 'Organization default' },
  { value: 'ACTIVATED', label: 'Active' },
  { value: 'STAGED', label: 'Staged: activate later' },
]

interface Props {
  workday: Workday
  selected: Worker[]
  /** In the report. */
  total: number
}

/** Makes users of the workers. */
export function ImportBar({ workday, selected, total }: Props) {
  const go = useGo()
  const [state, setState] = useState<State | ''>('')
  const [question, ask] = useState<Question | null>(null)
  const start = useImport(workday)
  const run = (workers: Worker[] | 'all') =>
    start.mutate(
      { workers, state: state || undefined },
      // Not where somebody has left the page meanwhile.
      { onSuccess: ({ jobs: [job] }) => job && void go(PATH, { search: { job } }) },
    )
  const all: Question = {
    title: `Import all ${workersWords(total)}?`,
    text: 'Each who has a username and an e-mail becomes a user. Those who are active get a mail to choose a password, which cannot be taken back.',
    action: 'Import all',
    run: () => run('all'),
  }
  return (
    <Group align="flex-end" gap="sm">
      <Select
        size="sm"
        label="State of new users"
        description="An active user gets a mail to choose a password"
        allowDeselect={false}
        data={STATES}
        value={state}
        onChange={(value) => setState((value ?? '') as State | '')}
      />
      <Button
        size="sm"
        leftSection={<IconUserPlus size={16} aria-hidden />}
        disabled={selected.length === 0}
        loading={start.isPending && start.variables.workers !== 'all'}
        onClick={() => run(selected)}
      >
        {selected.length === 0 ? 'Import selected' : `Import ${workersWords(selected.length)}`}
      </Button>
      <Button
        size="sm"
        variant="default"
        loading={start.isPending && start.variables.workers === 'all'}
        onClick={() => ask(all)}
      >
        Import all
      </Button>
      <Confirm question={question} close={() => ask(null)} />
    </Group>
  )
}
