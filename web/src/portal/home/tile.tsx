import { ActionIcon } from '@mantine/core'
import { IconStar, IconStarFilled } from '@tabler/icons-react'
import type { ApplicationTile } from '../../../../server/portal/schema.ts'
import { AppMark } from '../../ui/app-mark.tsx'
import { noteOpened, setFavourite } from '../api.ts'
import classes from './tile.module.css'

/** An application: one click signs the user in, in a new tab. */
export function Tile({ tile }: { tile: ApplicationTile }) {
  const { id, name, displayLabel, logo, color, url, favourite } = tile
  return (
    <li className={classes.item}>
      <a
        className={classes.tile}
        href={url}
        target="_blank"
        rel="noopener"
        title={displayLabel}
        onClick={() => noteOpened(id)}
      >
        <AppMark template={name} label={displayLabel} logo={logo} color={color} size={3.5} />
        <span className={classes.name}>{displayLabel}</span>
      </a>
      <ActionIcon
        className={classes.star!}
        variant="subtle"
        color="gray"
        aria-pressed={favourite}
        aria-label={`Favourite: ${displayLabel}`}
        onClick={() => void setFavourite(id, !favourite)}
      >
        {favourite ? <IconStarFilled size={18} aria-hidden /> : <IconStar size={18} aria-hidden />}
      </ActionIcon>
    </li>
  )
}
