import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { CodeForm } from '../../ui/code-form.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RecoveryCodes } from '../../ui/recovery-codes.tsx'
import { queries, renewRecoveryCodes, securityQuery } from '../api.ts'
import classes from './security.module.css'

const leftOf = (count: number) =>
  count === 0
    ? 'None left. Without your phone, only your administrator can let you in.'
    : `${count} left. Each signs you in once without your phone.`

/** Shown to users with a second factor. */
export function RecoveryPanel() {
  const panel = useRef<HTMLElement>(null)
  const [open, setOpen] = useState(false)
  const [codes, setCodes] = useState<string[]>()
  const { data } = useQuery(securityQuery)
  if (!data?.totp.enrolled) return null
  const shown = (fresh: string[]) => {
    setOpen(false)
    setCodes(fresh)
    void queries.invalidateQueries(securityQuery)
  }
  const kept = () => {
    setCodes(undefined)
    panel.current?.focus()
  }
  return (
    <Panel
      ref={panel}
      title="Recovery codes"
      lead={leftOf(data.totp.recoveryCodesLeft)}
      action={
        !codes && (
          <Button variant="default" size="sm" aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? 'Cancel' : 'Create new codes'}
          </Button>
        )
      }
    >
      {open && (
        <div className={classes.form}>
          <CodeForm give={renewRecoveryCodes} action="Replace the codes" done={shown} />
        </div>
      )}
      {codes && (
        <div className={classes.form}>
          <RecoveryCodes codes={codes} done={kept} />
        </div>
      )}
    </Panel>
  )
}
