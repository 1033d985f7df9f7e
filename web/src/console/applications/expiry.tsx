import { IconAlertTriangle } from '@tabler/icons-react'
import { Tag } from '../../ui/tag.tsx'
import { When } from '../../ui/when.tsx'

const DAY_MS = 86_400_000
const WARN_DAYS = 30

/** When a certificate expires; said aloud when that is soon. */
export function Expiry({ time }: { time: string | undefined }) {
  if (!time) return '–'
  const days = (Date.parse(time) - Date.now()) / DAY_MS
  if (days > WARN_DAYS) return <When time={time} />
  return (
    <Tag tone={days < 0 ? 'bad' : 'warn'} Icon={IconAlertTriangle}>
      {days < 0 ? 'Expired' : `Expires in ${Math.ceil(days)} days`}
    </Tag>
  )
}
