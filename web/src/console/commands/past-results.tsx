import { Stack, Text } from '@mantine/core'
import type { QueryKey } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { components } from '../../../../client/index.ts'
import { pageOfV1 } from '../../api/organization.ts'
import { Problem } from '../../ui/problem.tsx'
import { useRead } from '../reads.ts'
import { ResultRow } from './result-row.tsx'
import classes from './results.module.css'

const LIMIT = 50
/** As often as a run beside it: else that shows a result which seems to be missing here. */
const POLL_MS = 1500

type Result = components['schemas']['CommandResult']

interface Props {
  /** Start of the key of the cached answer. */
  owner: QueryKey
  filter: string
  titleOf: (result: Result) => ReactNode
  empty: string
}

/** The latest results, as they come. */
export function PastResults({ owner, filter, titleOf, empty }: Props) {
  const { data, error } = useRead(
    [...owner, 'results'],
    async (api) =>
      pageOfV1(
        await api.management.GET('/commandresults', {
          params: {
            query: {
              filter: [filter],
              sort: '-responseTime',
              limit: LIMIT,
              fields: 'name system systemId exitCode responseTime workflowId workflowInstanceId',
            },
          },
        }),
      ),
    { every: () => POLL_MS },
  )
  if (error && !data) return <Problem error={error} />
  if (data?.rows.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {empty}
      </Text>
    )
  return (
    <Stack gap="xs">
      {data && data.total > data.rows.length && (
        <Text size="sm" c="dimmed">
          The latest {data.rows.length} of {data.total}.
        </Text>
      )}
      <ul className={classes.results} aria-label="Results">
        {data?.rows.map((result) => (
          <ResultRow
            key={result.id}
            id={result.id}
            title={titleOf(result)}
            name={`${result.name} on ${result.system}`}
            status="finished"
            exitCode={result.exitCode}
            time={result.responseTime}
          />
        ))}
      </ul>
    </Stack>
  )
}
