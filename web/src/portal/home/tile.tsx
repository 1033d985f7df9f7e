import { useState } from 'react'
import type { ApplicationTile } from '../../../../server/portal/schema.ts'
import classes from './tile.module.css'

const initials = (name: string): string =>
  name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => word[0]?.toUpperCase() ?? '')
    .join('')

/** Dark enough for white text, whatever colour the administrator chose. */
const shaded = (color: string | null) => `color-mix(in oklab, ${color ?? '#4263eb'}, #101828 35%)`

/** An application: one click signs the user in, in a new tab. */
export function Tile({ tile }: { tile: ApplicationTile }) {
  const [broken, setBroken] = useState(false)
  return (
    <li className={classes.item}>
      <a className={classes.tile} href={tile.url} target="_blank" rel="noopener">
        {tile.logo && !broken ? (
          <img className={classes.logo} src={tile.logo} alt="" onError={() => setBroken(true)} />
        ) : (
          <span className={classes.letters} style={{ background: shaded(tile.color) }} aria-hidden>
            {initials(tile.displayLabel)}
          </span>
        )}
        <span className={classes.name}>{tile.displayLabel}</span>
      </a>
    </li>
  )
}
