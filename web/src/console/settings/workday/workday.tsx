import { Skeleton, Stack } from '@mantine/core'
import { ApiError } from '../../../api/session.ts'
import { Problem } from '../../../ui/problem.tsx'
import { useAddress } from '../../link.tsx'
import { usePage } from '../../resource/pager.tsx'
import { Connect } from './connect.tsx'
import { Connection } from './connection.tsx'
import { ImportResults } from './import-results.tsx'
import {
  hasCredentials,
  PAGE,
  useWorkday,
  useWorkers,
  type Workday as WorkdayRecord,
} from './report.ts'
import { Workers } from './workers.tsx'

/** The API answers so when the report could not be read. */
const isAboutReport = (error: Error | null): error is ApiError =>
  error instanceof ApiError && error.status === 400

function Connected({ workday }: { workday: WorkdayRecord }) {
  const { data, error } = useWorkers(workday, usePage(PAGE))
  return (
    <Stack>
      <Connection workday={workday} failure={isAboutReport(error) ? error.message : null} />
      {!isAboutReport(error) && <Problem error={error} />}
      {hasCredentials(workday) && !error && <Workers workday={workday} page={data} />}
    </Stack>
  )
}

/** Users from a report of Workday. */
export function Workday() {
  const { job } = useAddress()
  const { data, error } = useWorkday()
  if (data === undefined) return error ? <Problem error={error} /> : <Skeleton h={240} />
  if (data === null) return <Connect />
  if (job) return <ImportResults key={job} workday={data} job={job} />
  return <Connected workday={data} />
}
