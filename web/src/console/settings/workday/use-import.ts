import { type Api, dataOf } from '../../../api/organization.ts'
import { counted, number } from '../../../ui/number.ts'
import { useChange } from '../../changes.ts'
import { useOrganization } from '../../organization.ts'
import { startWork } from '../../tray/tray.ts'
import { entryOf, obstacleOf, partsOf, type State, type Worker } from './entries.ts'
import { PATH, RECORD, readAllWorkers, type Workday } from './report.ts'

export const workersWords = (count: number): string => counted(count, 'worker')

interface Input {
  workers: Worker[] | 'all'
  /** Undefined: as the organization has it. */
  state: State | undefined
}

interface Started {
  /** More than one if they did not fit into a request. */
  jobs: string[]
  imported: number
  leftOut: number
}

const startedWords = ({ imported, leftOut }: Started): string =>
  leftOut === 0
    ? `Importing ${workersWords(imported)}`
    : `Importing ${workersWords(imported)}; left out ${number.format(leftOut)} without a valid username or e-mail`

/** Starts the jobs of an import; the tray follows each. */
export function useImport({ id }: Workday) {
  const { id: organization } = useOrganization()
  const start = async (api: Api, { workers, state }: Input): Promise<Started> => {
    const chosen = workers === 'all' ? await readAllWorkers(api, id) : workers
    const entries = chosen
      .filter((worker) => obstacleOf(worker) === null)
      .map((worker) => entryOf(worker, state))
    if (entries.length === 0) throw new Error('No worker has a valid username and e-mail.')
    const jobs: string[] = []
    for (const body of partsOf(entries)) {
      const params = { path: { workday_id: id } }
      const { jobId } = dataOf(
        await api.management.POST('/v2/workdays/{workday_id}/import', { params, body }),
      )
      jobs.push(jobId)
      startWork(organization, {
        kind: 'import-workers',
        input: { workdayId: id, jobId },
        title: `Import ${workersWords(body.length)}`,
        link: PATH,
        search: { job: jobId },
        total: body.length,
      })
    }
    return { jobs, imported: entries.length, leftOut: chosen.length - entries.length }
  }
  return useChange({ run: start, touches: [RECORD], done: (_, result) => startedWords(result) })
}
