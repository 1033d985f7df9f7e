import { Anchor, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { SessionAnswer } from '../../../../server/portal/schema.ts'
import { forgetSession, signOut } from '../api.ts'

/** The user of the pending sign-in, with a way to switch. */
export function AnotherAccount({ session }: { session: SessionAnswer }) {
  const leaving = useMutation({ mutationFn: signOut, onSettled: forgetSession })
  return (
    <Text size="sm" c="dimmed" ta="center">
      {session.email} ·{' '}
      <Anchor component="button" type="button" size="sm" onClick={() => leaving.mutate()}>
        Not you?
      </Anchor>
    </Text>
  )
}
