import { Button, Stack, type TextInputProps } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type ComponentType, type FormEvent, useState } from 'react'
import { CodeField, isWholeCode } from './code-field.tsx'
import { Problem } from './problem.tsx'

interface Props<T> {
  give: (code: string) => Promise<T>
  action: string
  color?: string
  done?: (answer: T) => void
  /** Kind of code; by default one of the app. */
  field?: ComponentType<TextInputProps>
}

/** A form for one code. */
export function CodeForm<T>({ give, action, color, done, field: Field = CodeField }: Props<T>) {
  const [code, setCode] = useState('')
  const giving = useMutation({
    mutationFn: (whole: string) => give(whole.replaceAll(' ', '')),
    onSuccess: (answer) => done?.(answer),
    onError: () => setCode(''),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    giving.mutate(code)
  }
  // Six digits need no button, unless it is one to think about.
  const submitsItself = Field === CodeField && color === undefined
  const enter = (value: string) => {
    setCode(value)
    if (submitsItself && isWholeCode(value) && !giving.isPending) giving.mutate(value)
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <Field autoFocus value={code} onChange={(event) => enter(event.currentTarget.value)} />
        <Problem error={giving.error} />
        <Button type="submit" fullWidth {...(color && { color })} loading={giving.isPending}>
          {action}
        </Button>
      </Stack>
    </form>
  )
}
