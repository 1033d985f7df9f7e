import { Button, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { SessionAnswer } from '../../../../server/portal/schema.ts'
import { giveCode } from '../../api/portal.ts'
import { CodeField } from '../../ui/code-field.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Sheet } from '../../ui/sheet.tsx'
import { AnotherAccount } from './another-account.tsx'

export function CodeStep({ session }: { session: SessionAnswer }) {
  const [code, setCode] = useState('')
  const giving = useMutation({
    mutationFn: () => giveCode(code.replaceAll(' ', '')),
    onError: () => setCode(''),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    giving.mutate()
  }
  return (
    <Sheet title="Your second factor" lead="One more step, to be sure that it is you.">
      <form onSubmit={submit}>
        <Stack>
          <CodeField
            autoFocus
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
          />
          <Problem error={giving.error} />
          <Button type="submit" fullWidth loading={giving.isPending}>
            Continue
          </Button>
        </Stack>
      </form>
      <AnotherAccount session={session} />
    </Sheet>
  )
}
