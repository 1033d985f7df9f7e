import { Text } from '@mantine/core'
import { IconMailOff } from '@tabler/icons-react'
import { useHealth } from './health.ts'

/** Nobody gets a link to their first password while there is no mail server. */
export function MailNotice() {
  const { data } = useHealth()
  const details = data?.details
  if (details?.mail !== 'not configured') return null
  const waiting = details.waitingMails
  return (
    <Text size="sm" mt="sm">
      <IconMailOff size={16} aria-hidden style={{ verticalAlign: 'text-bottom' }} /> Mail is not
      configured.{' '}
      {waiting > 0
        ? `${waiting.toLocaleString('en')} ${waiting === 1 ? 'mail waits' : 'mails wait'}`
        : 'Mails are kept'}
      , to be sent once GATEHOUSE_SMTP_URL is set.
    </Text>
  )
}
