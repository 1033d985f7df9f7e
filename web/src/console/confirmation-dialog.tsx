import { Button, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useEffect, useState } from 'react'
import { CodeField } from '../ui/code-field.tsx'
import { Problem } from '../ui/problem.tsx'
import { onConfirmation } from './confirmation.ts'
import { confirmPassword, type Session } from './session.ts'

interface Waiting {
  done: () => void
  cancel: () => void
}

/** Asks for the password again when a change needs it. */
export function ConfirmationDialog({ session }: { session: Session }) {
  const [waiting, setWaiting] = useState<Waiting | null>(null)
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  useEffect(
    () =>
      onConfirmation(
        () =>
          new Promise((done, fail) =>
            setWaiting({
              done,
              cancel: () => fail(new Error('Not changed: the password was not confirmed.')),
            }),
          ),
      ),
    [],
  )
  const leave = () => {
    setPassword('')
    setCode('')
    setWaiting(null)
    confirm.reset()
  }
  const confirm = useMutation({
    mutationFn: () => confirmPassword(password, code.replaceAll(' ', '') || undefined),
    onSuccess: () => {
      waiting?.done()
      leave()
    },
  })
  const cancel = () => {
    waiting?.cancel()
    leave()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    confirm.mutate()
  }
  return (
    <Modal opened={waiting !== null} onClose={cancel} title="Confirm that it is you">
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">This change is sensitive, so your password is needed once more.</Text>
          <PasswordInput
            label="Your password"
            required
            withAsterisk={false}
            data-autofocus
            autoComplete="current-password"
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          {session.totpEnrolled && (
            <CodeField value={code} onChange={(event) => setCode(event.currentTarget.value)} />
          )}
          <Problem error={confirm.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={cancel}>
              Cancel
            </Button>
            <Button type="submit" loading={confirm.isPending}>
              Confirm
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
