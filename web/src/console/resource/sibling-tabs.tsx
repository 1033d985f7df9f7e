import { To } from '../link.tsx'
import { useMay } from '../organization.ts'
import type { Sibling } from './list-declaration.ts'
import classes from './page.module.css'

/** Lists that belong together. */
export function SiblingTabs({ siblings }: { siblings: Sibling[] }) {
  const may = useMay()
  const readable = siblings.filter(({ scope }) => !scope || may.read(scope))
  if (readable.length < 2) return null
  return (
    <nav className={classes.tabs} aria-label="Related lists">
      {readable.map(({ path, label }) => (
        <To
          key={path}
          to={path}
          className={classes.tab}
          activeOptions={{ exact: true, includeSearch: false }}
        >
          {label}
        </To>
      ))}
    </nav>
  )
}
