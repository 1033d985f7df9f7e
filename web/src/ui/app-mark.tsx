import { type CSSProperties, useState } from 'react'
import classes from './app-mark.module.css'
import { MARKS } from './app-marks.ts'
import { Initials } from './initials.tsx'

interface Props {
  /** As users read it. */
  label: string
  /** The name of its template, for the mark of a known product. */
  template: string
  /** An uploaded image goes before everything else. */
  logo?: string | null | undefined
  /** Chosen by the administrator, as `#RRGGBB`. */
  color?: string | null | undefined
  /** In rem. */
  size?: number
}

/** Dark enough for white letters, whatever colour was chosen. */
const shaded = (color: string) => `color-mix(in oklab, ${color}, #101828 35%)`

/** The picture of an application: its logo, the mark of its product, or its initials. */
export function AppMark({ label, template, logo, color, size = 2.5 }: Props) {
  const [broken, setBroken] = useState(false)
  const style = { '--size': `${size}rem` } as CSSProperties
  const mark = MARKS[template]
  if (logo && !broken)
    return (
      <img
        className={classes.mark}
        style={style}
        src={logo}
        alt=""
        onError={() => setBroken(true)}
      />
    )
  if (mark)
    return (
      <svg className={classes.mark} style={style} viewBox="0 0 24 24" aria-hidden="true">
        <path d={mark.path} fill={`#${mark.hex}`} />
      </svg>
    )
  return <Initials name={label} size={size} color={color ? shaded(color) : undefined} />
}
