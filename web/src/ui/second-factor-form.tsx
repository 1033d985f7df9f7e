import { Anchor, Stack } from '@mantine/core'
import { useState } from 'react'
import { CodeForm } from './code-form.tsx'
import { RecoveryCodeField } from './recovery-code-field.tsx'

interface Props<T> {
  give: (code: string) => Promise<T>
  action: string
  color?: string
  done?: (answer: T) => void
}

/** A code of the app, or a recovery code. */
export function SecondFactorForm<T>(props: Props<T>) {
  const [without, setWithout] = useState(false)
  return (
    <Stack>
      {without ? (
        <CodeForm key="kept" field={RecoveryCodeField} {...props} />
      ) : (
        <CodeForm key="app" {...props} />
      )}
      <Anchor component="button" type="button" size="sm" onClick={() => setWithout(!without)}>
        {without ? 'Use your authenticator app' : 'Without your phone? Use a recovery code'}
      </Anchor>
    </Stack>
  )
}
