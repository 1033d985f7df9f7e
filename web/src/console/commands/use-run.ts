import { dataOf } from '../../api/organization.ts'
import { counted } from '../../ui/number.ts'
import { useChange } from '../changes.ts'
import { useGo } from '../link.tsx'
import type { Command } from './command.ts'

interface Places {
  systems?: string[]
  systemGroups?: string[]
}

/** Runs a command on these places, or on its targets, and shows the run. */
export function useRun({ id }: Command, quiet = false) {
  const go = useGo()
  return useChange({
    run: async (api, places: Places) =>
      dataOf(await api.management.POST('/runCommand', { body: { _id: id, ...places } })),
    touches: [['commands', id], ['command-runs']],
    done: (_, { queueIds }) => `Started on ${counted(queueIds.length, 'device')}`,
    after: ({ workflowInstanceId }) =>
      void go(`commands/${id}/results`, { search: { run: workflowInstanceId } }),
    quiet,
  })
}
