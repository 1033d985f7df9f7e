import { Badge, Button, Group, Stack } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { queries, removeTotp, securityQuery, sessionsQuery } from '../../api/portal.ts'
import { CodeField } from '../../ui/code-field.tsx'
import { Enrollment } from '../../ui/enrollment.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Problem } from '../../ui/problem.tsx'
import { asDay } from '../../ui/time.ts'
import classes from './security.module.css'

function RemoveForm({ done }: { done: () => void }) {
  const [code, setCode] = useState('')
  const removing = useMutation({
    mutationFn: () => removeTotp(code.replaceAll(' ', '')),
    onSuccess: done,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    removing.mutate()
  }
  return (
    <form onSubmit={submit} className={classes.form}>
      <Stack>
        <CodeField
          autoFocus
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        <Problem error={removing.error} />
        <Button type="submit" color="red" loading={removing.isPending}>
          Remove the second factor
        </Button>
      </Stack>
    </form>
  )
}

export function TotpPanel() {
  const [open, setOpen] = useState(false)
  const { data } = useQuery(securityQuery)
  if (!data) return null
  const { enrolled, enrolledAt, required } = data.totp
  const done = () => {
    setOpen(false)
    void queries.invalidateQueries(securityQuery)
    void queries.invalidateQueries(sessionsQuery)
  }
  const lead = enrolled
    ? `Codes of an authenticator app${enrolledAt ? `, since ${asDay(enrolledAt)}` : ''}${required ? '. Your organization asks for it.' : ''}`
    : 'With a code from your phone beside the password, nobody gets in with the password alone.'
  return (
    <Panel
      title="Second factor"
      lead={lead}
      action={
        <Group gap="sm">
          {enrolled && (
            <Badge color="green" variant="light" className={classes.badge!}>
              On
            </Badge>
          )}
          {!(enrolled && required) && (
            <Button variant="default" size="sm" aria-expanded={open} onClick={() => setOpen(!open)}>
              {open ? 'Cancel' : enrolled ? 'Remove' : 'Set up'}
            </Button>
          )}
        </Group>
      }
    >
      {open &&
        (enrolled ? (
          <RemoveForm done={done} />
        ) : (
          <div className={classes.form}>
            <Enrollment done={done} />
          </div>
        ))}
    </Panel>
  )
}
