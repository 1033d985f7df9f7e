import { Box, Button } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { Panel } from '../../ui/panel.tsx'
import { Problem } from '../../ui/problem.tsx'
import { RecoveryCodes } from '../../ui/recovery-codes.tsx'
import { TotpEnrollment } from '../../ui/totp-enrollment.tsx'
import { confirmed } from '../confirmation.ts'
import {
  finishEnrollment,
  queries,
  removeSecondFactor,
  sessionQuery,
  startEnrollment,
} from '../session.ts'

export function SecondFactorPanel() {
  const panel = useRef<HTMLElement>(null)
  const [open, setOpen] = useState(false)
  const [codes, setCodes] = useState<string[]>()
  const { data: session } = useQuery(sessionQuery)
  const removing = useMutation({
    mutationFn: () => confirmed(removeSecondFactor),
    onSettled: () => queries.invalidateQueries(sessionQuery),
  })
  const enrolled = session?.totpEnrolled ?? false
  const finish = async (code: string) => {
    setCodes(await finishEnrollment(code))
    setOpen(false)
    await queries.invalidateQueries(sessionQuery)
  }
  const kept = () => {
    setCodes(undefined)
    panel.current?.focus()
  }
  return (
    <Panel
      ref={panel}
      title="Second factor"
      lead={
        enrolled
          ? 'On: codes of an authenticator app.'
          : 'With a code from your phone, a stolen password is not enough to sign in.'
      }
      action={
        !codes &&
        (enrolled ? (
          <Button
            variant="default"
            size="sm"
            loading={removing.isPending}
            onClick={() => removing.mutate()}
          >
            Remove
          </Button>
        ) : (
          <Button variant="default" size="sm" aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? 'Cancel' : 'Set up'}
          </Button>
        ))
      }
    >
      {(open || codes) && (
        <Box maw="24rem">
          {codes ? (
            <RecoveryCodes codes={codes} done={kept} />
          ) : (
            <TotpEnrollment start={() => confirmed(startEnrollment)} finish={finish} />
          )}
        </Box>
      )}
      <Problem error={removing.error} />
    </Panel>
  )
}
