import { Anchor, Button, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { ComponentProps, FormEvent, ReactNode } from 'react'
import { Problem } from './problem.tsx'
import { Sheet } from './sheet.tsx'

type Root = NonNullable<ComponentProps<typeof Anchor<'a'>>['renderRoot']>

export const BackToSignIn = ({ link }: { link: Root }) => (
  <Text ta="center" size="sm">
    <Anchor size="sm" renderRoot={link}>
      Back to sign-in
    </Anchor>
  </Text>
)

interface Props {
  /** The field that says who. */
  children: ReactNode
  ask: () => Promise<unknown>
  /** What to expect, which does not tell who has an account. */
  asked: ReactNode
  back: Root
}

/** Sends a link to choose a new password. */
export function ForgottenPassword({ children, ask, asked, back }: Props) {
  const asking = useMutation({ mutationFn: ask })
  if (asking.isSuccess)
    return (
      <Sheet title="Check your inbox" lead={asked}>
        <BackToSignIn link={back} />
      </Sheet>
    )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    asking.mutate()
  }
  return (
    <Sheet title="Forgot your password?" lead="We will mail you a link to choose a new one.">
      <form onSubmit={submit}>
        <Stack>
          {children}
          <Problem error={asking.error} />
          <Button type="submit" fullWidth loading={asking.isPending}>
            Send the link
          </Button>
        </Stack>
      </form>
      <BackToSignIn link={back} />
    </Sheet>
  )
}
