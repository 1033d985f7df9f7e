import { Button } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Loaded } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Problem } from '../../ui/problem.tsx'
import { SessionList } from '../../ui/session-list.tsx'
import { endOtherSessions, endSession, queries, sessionsQuery } from '../api.ts'

export function SessionsPanel() {
  const query = useQuery(sessionsQuery)
  const ending = useMutation({
    mutationFn: (id: string | null) => (id === null ? endOtherSessions() : endSession(id)),
    onSettled: () => queries.invalidateQueries(sessionsQuery),
  })
  const several = (query.data?.length ?? 0) > 1
  return (
    <Panel
      title="Where you are signed in"
      action={
        several && (
          <Button
            variant="default"
            size="sm"
            onClick={() => ending.mutate(null)}
            loading={ending.isPending}
          >
            Sign out everywhere else
          </Button>
        )
      }
    >
      <Loaded query={query}>
        {(sessions) => (
          <SessionList
            sessions={sessions}
            end={({ id }) => ending.mutate(id)}
            busy={ending.isPending}
          />
        )}
      </Loaded>
      <Problem error={ending.error} />
    </Panel>
  )
}
