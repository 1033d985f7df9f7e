import { Modal, PasswordInput, Stack } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { ApiError } from '../../api/session.ts'
import { FormActions } from '../../ui/form-actions.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useChange } from '../changes.ts'
import { nameOf } from './name.ts'
import type { User } from './user.ts'

function Form({ user, close }: { user: User; close: () => void }) {
  const [password, setPassword] = useState('')
  const set = useChange({
    run: (api) =>
      api.management.PUT('/systemusers/{id}', {
        params: { path: { id: user.id } },
        body: { password },
      }),
    touches: [['users']],
    done: () => `Set the password of ${nameOf(user)}`,
    after: close,
    quiet: true,
  })
  const refused = set.error instanceof ApiError && set.error.field === 'password'
  const submit = (event: FormEvent) => {
    event.preventDefault()
    set.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <PasswordInput
          label="New password"
          description="Ends the sessions of the user. A mailed link is safer: only the user knows the password then."
          autoComplete="new-password"
          required
          withAsterisk={false}
          data-autofocus
          value={password}
          onChange={(event) => {
            setPassword(event.currentTarget.value)
            if (set.error) set.reset()
          }}
          error={refused && set.error?.message}
          visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
        />
        <Problem error={refused ? null : set.error} />
        <FormActions close={close} saving={set.isPending}>
          Set password
        </FormActions>
      </Stack>
    </form>
  )
}

interface Props {
  user: User
  opened: boolean
  close: () => void
}

export const SetPassword = ({ user, opened, close }: Props) => (
  <Modal opened={opened} onClose={close} title={`Set the password of ${nameOf(user)}`}>
    {opened && <Form user={user} close={close} />}
  </Modal>
)
