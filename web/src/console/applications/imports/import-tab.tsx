import { Skeleton, Text } from '@mantine/core'
import { Problem } from '../../../ui/problem.tsx'
import { useAddress } from '../../link.tsx'
import { useMay } from '../../organization.ts'
import type { Application } from '../application.ts'
import { Views } from '../views.tsx'
import { JobPanel } from './job-panel.tsx'
import { MappingPanel } from './mapping-panel.tsx'
import { RunsPanel } from './runs-panel.tsx'
import { type Config, useConfig } from './source.ts'
import { SourcePanel } from './source-panel.tsx'

const VIEWS = [
  { id: 'runs', label: 'Runs' },
  { id: 'mapping', label: 'Mapping' },
  { id: 'source', label: 'Source' },
]

function View({ application, config }: { application: Application; config: Config }) {
  const { view, job } = useAddress()
  if (job) return <JobPanel key={job} application={application} id={job} />
  if (view === 'mapping')
    return <MappingPanel key={config.updated} application={application} config={config} />
  if (view === 'source') return <SourcePanel application={application} config={config} />
  return <RunsPanel application={application} config={config} />
}

/** People come from this application. */
export function ImportTab({ application }: { application: Application }) {
  const writable = useMay().imports
  const { data, error } = useConfig(application.id)
  if (error && !data) return <Problem error={error} />
  if (data === undefined) return <Skeleton h={320} />
  if (data === null)
    return writable ? (
      <SourcePanel application={application} config={null} />
    ) : (
      <Text c="dimmed">No people come from this application.</Text>
    )
  return (
    <>
      <Views to={`applications/${application.id}/import`} label="Import" views={VIEWS} />
      <View application={application} config={data} />
    </>
  )
}
