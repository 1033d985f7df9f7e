import { ago } from './time.ts'

const exact = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeStyle: 'long' })

/** Relative, with the exact instant on hover, in the viewer's zone. */
export const When = ({ time }: { time: string | null | undefined }) =>
  time ? (
    <time dateTime={time} title={exact.format(new Date(time))}>
      {ago(time)}
    </time>
  ) : (
    '–'
  )
