import { Text } from '@mantine/core'
import { IconMailOff } from '@tabler/icons-react'
import { useHealth } from './health.ts'

/** Nobody gets a link to their first password while there is no mail server. How many wait concerns all organizations. */
export function MailNotice() {
  const { data } = useHealth()
  if (data?.details?.mail !== 'not configured') return null
  return (
    <Text size="sm" mt="sm">
      <IconMailOff size={16} aria-hidden style={{ verticalAlign: 'text-bottom' }} /> Mail is not
      configured. Mails are kept, to be sent once GATEHOUSE_SMTP_URL is set.
    </Text>
  )
}
