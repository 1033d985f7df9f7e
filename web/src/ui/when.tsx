import { ago, timeFormat } from './time.ts'

const exact = timeFormat({ dateStyle: 'long', timeStyle: 'long' })

/** Relative, with the exact instant on hover, in the chosen zone. */
export const When = ({ time }: { time: string | null | undefined }) =>
  time ? (
    <time dateTime={time} title={exact.format(new Date(time))}>
      {ago(time)}
    </time>
  ) : (
    '–'
  )
