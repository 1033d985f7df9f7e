import { Badge, Button, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { Panel } from '../../ui/panel.tsx'
import { RecoveryCodes } from '../../ui/recovery-codes.tsx'
import { SecondFactorForm } from '../../ui/second-factor-form.tsx'
import { asDay } from '../../ui/time.ts'
import { queries, removeTotp, securityQuery, sessionsQuery } from '../api.ts'
import { Enrollment } from '../enrollment.tsx'
import classes from './security.module.css'

export function TotpPanel() {
  const panel = useRef<HTMLElement>(null)
  const [open, setOpen] = useState(false)
  const [codes, setCodes] = useState<string[]>()
  const { data } = useQuery(securityQuery)
  if (!data) return null
  const { enrolled, enrolledAt, required } = data.totp
  const show = (fresh: string[] | undefined) => {
    setOpen(false)
    setCodes(fresh)
    void queries.invalidateQueries(securityQuery)
    void queries.invalidateQueries(sessionsQuery)
  }
  const done = () => {
    show(undefined)
    panel.current?.focus()
  }
  const lead = enrolled
    ? `Codes of an authenticator app${enrolledAt ? `, since ${asDay(enrolledAt)}` : ''}${required ? '. Your organization requires it.' : ''}`
    : 'With a code from your phone, a stolen password is not enough to sign in.'
  return (
    <Panel
      ref={panel}
      title="Second factor"
      lead={lead}
      action={
        <Group gap="sm">
          {enrolled && (
            <Badge color="green" variant="light" className={classes.badge!}>
              On
            </Badge>
          )}
          {!codes && !(enrolled && required) && (
            <Button variant="default" size="sm" aria-expanded={open} onClick={() => setOpen(!open)}>
              {open ? 'Cancel' : enrolled ? 'Remove' : 'Set up'}
            </Button>
          )}
        </Group>
      }
    >
      {(open || codes) && (
        <div className={classes.form}>
          {codes ? (
            <RecoveryCodes codes={codes} done={done} />
          ) : enrolled ? (
            <SecondFactorForm
              give={removeTotp}
              action="Remove the second factor"
              color="red.9"
              done={done}
            />
          ) : (
            <Enrollment show={show} />
          )}
        </div>
      )}
    </Panel>
  )
}
