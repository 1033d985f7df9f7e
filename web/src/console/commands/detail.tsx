import { Modal } from '@mantine/core'
import { IconPlayerPlay, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { Confirm, type Question } from '../../ui/confirm.tsx'
import { Tag } from '../../ui/tag.tsx'
import { useChange } from '../changes.ts'
import { useGo, usePath } from '../link.tsx'
import { useMay } from '../organization.ts'
import { useRead } from '../reads.ts'
import { HistoryTab } from '../resource/history-tab.tsx'
import { ResourcePage } from '../resource/resource-page.tsx'
import { type Command, commandKey, readCommand } from './command.ts'
import { ResultsTab } from './results-tab.tsx'
import { RunOn } from './run-on.tsx'
import { whenOf } from './schedule.ts'
import { ScheduleTab } from './schedule-tab.tsx'
import { ScriptTab } from './script-tab.tsx'
import { TargetsTab } from './targets-tab.tsx'
import { useRun } from './use-run.ts'

const LIST = { path: 'commands', title: 'Commands' }

function CommandPage({ command }: { command: Command }) {
  const may = useMay()
  const writable = may.write('commands')
  const go = useGo()
  const [question, ask] = useState<Question | null>(null)
  const { id, name = '' } = command
  const [choosing, setChoosing] = useState(false)
  const run = useRun(command)
  const remove = useChange({
    run: (api) => api.management.DELETE('/commands/{id}', { params: { path: { id } } }),
    touches: [['commands']],
    done: () => `Deleted ${name}`,
    after: () => void go('commands'),
  })
  const askToDelete = () =>
    ask({
      title: `Delete ${name}?`,
      text: 'Pending runs are cancelled. Results are kept. This cannot be undone.',
      action: 'Delete command',
      run: () => remove.mutate(),
    })
  return (
    <>
      <ResourcePage
        list={LIST}
        name={name}
        error={null}
        state={<Tag tone="calm">{whenOf(command)}</Tag>}
        copy={[{ label: 'id', value: id }]}
        main={
          may.run && {
            label: 'Run now',
            Icon: IconPlayerPlay,
            filled: true,
            busy: run.isPending,
            run: () => run.mutate({}),
          }
        }
        menu={
          writable
            ? [
                {
                  label: 'Run on chosen devices',
                  Icon: IconPlayerPlay,
                  run: () => setChoosing(true),
                },
                { label: 'Delete command', Icon: IconTrash, danger: true, run: askToDelete },
              ]
            : []
        }
        tabs={[
          {
            id: 'script',
            label: 'Script',
            edits: true,
            content: () => <ScriptTab key={id} command={command} />,
          },
          ...(may.read('commands')
            ? [
                {
                  id: 'targets',
                  label: 'Targets',
                  content: () => <TargetsTab command={command} />,
                },
              ]
            : []),
          {
            id: 'schedule',
            label: 'Schedule',
            content: () => <ScheduleTab key={id} command={command} />,
          },
          { id: 'results', label: 'Results', content: () => <ResultsTab command={command} /> },
          {
            id: 'history',
            label: 'History',
            content: () => <HistoryTab area="commands" id={id} />,
          },
        ]}
      />
      <Modal
        opened={choosing}
        onClose={() => setChoosing(false)}
        title="Run on chosen devices"
        size="lg"
      >
        <RunOn command={command} close={() => setChoosing(false)} />
      </Modal>
      <Confirm question={question} close={() => ask(null)} />
    </>
  )
}

export function Detail() {
  const { id = '' } = usePath()
  const { data, error } = useRead(commandKey(id), readCommand(id))
  if (data) return <CommandPage command={data} />
  return <ResourcePage list={LIST} name={undefined} error={error} tabs={[]} />
}
