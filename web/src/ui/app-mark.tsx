import { type CSSProperties, useState } from 'react'
import classes from './app-mark.module.css'
import { MARKS } from './app-marks.ts'

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

const initials = (label: string): string =>
  label
    .split(/[\s.-]+/)
    .slice(0, 2)
    .map((word) => word[0]?.toUpperCase() ?? '')
    .join('')

/** Dark enough for white letters, whatever colour was chosen. */
const shaded = (color: string) => `color-mix(in oklab, ${color}, #101828 35%)`

/** The same for the same name, everywhere. */
function derived(label: string): string {
  let hash = 0
  for (const letter of label) hash = (hash * 31 + letter.codePointAt(0)!) % 360
  return `oklch(0.45 0.11 ${hash})`
}

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
  const background = color ? shaded(color) : derived(label)
  return (
    <span className={classes.letters} style={{ ...style, background }} aria-hidden>
      {initials(label)}
    </span>
  )
}
