import { Button } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Loaded } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Problem } from '../../ui/problem.tsx'
import { SessionList } from '../../ui/session-list.tsx'
import { ownSessionsQuery, signOutEverywhere } from '../session.ts'

export function SessionsPanel() {
  const query = useQuery(ownSessionsQuery)
  const ending = useMutation({
    mutationFn: signOutEverywhere,
    // A full page load: nothing of this session stays in memory.
    onSuccess: () => window.location.assign('/console/sign-in'),
  })
  return (
    <Panel
      title="Where you are signed in"
      action={
        <Button
          variant="default"
          size="sm"
          loading={ending.isPending}
          onClick={() => ending.mutate()}
        >
          Sign out everywhere
        </Button>
      }
    >
      <Loaded query={query}>{(sessions) => <SessionList sessions={sessions} />}</Loaded>
      <Problem error={ending.error} />
    </Panel>
  )
}
