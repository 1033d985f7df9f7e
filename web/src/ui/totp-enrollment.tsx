import { Button, Center, Code, CopyButton, Group, Loader, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { CodeField, isWholeCode } from './code-field.tsx'
import { Problem } from './problem.tsx'
import { QrCode } from './qr-code.tsx'

/** In groups of four, easier to type. */
const spaced = (secret: string) => secret.replace(/(.{4})(?=.)/g, '$1 ')

interface Props {
  start: () => Promise<{ secret: string; otpauthUrl: string }>
  finish: (code: string) => Promise<void>
}

/** Enrols a second factor: shows the secret, then verifies a code of the device. */
export function TotpEnrollment({ start, finish }: Props) {
  const [code, setCode] = useState('')
  const started = useQuery({
    queryKey: ['enrollment'],
    queryFn: start,
    // Every request creates another secret: ask once per visit.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  })
  const finishing = useMutation({
    mutationFn: (whole: string) => finish(whole.replaceAll(' ', '')),
    onError: () => setCode(''),
  })
  const enter = (value: string) => {
    setCode(value)
    if (isWholeCode(value) && !finishing.isPending) finishing.mutate(value)
  }
  if (started.error) return <Problem error={started.error} />
  if (!started.data)
    return (
      <Center py="xl">
        <Loader aria-label="Loading" />
      </Center>
    )
  const { secret, otpauthUrl } = started.data
  const submit = (event: FormEvent) => {
    event.preventDefault()
    finishing.mutate(code)
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm" ta="center">
          Scan the QR code with an authenticator app on your phone.
        </Text>
        <Center>
          <QrCode text={otpauthUrl} label="QR code for your authenticator app" />
        </Center>
        <div>
          <Text size="sm" c="dimmed" mb={4}>
            Cannot scan it? Enter this key instead:
          </Text>
          <Group gap="xs" wrap="nowrap" justify="space-between">
            <Code fz="sm" data-testid="totp-secret">
              {spaced(secret)}
            </Code>
            <CopyButton value={secret}>
              {({ copied, copy }) => (
                <Button variant="default" size="xs" onClick={copy} miw={80}>
                  {copied ? 'Copied' : 'Copy'}
                </Button>
              )}
            </CopyButton>
          </Group>
        </div>
        <CodeField value={code} onChange={(event) => enter(event.currentTarget.value)} />
        <Problem error={finishing.error} />
        <Button type="submit" fullWidth loading={finishing.isPending}>
          Turn on
        </Button>
      </Stack>
    </form>
  )
}
