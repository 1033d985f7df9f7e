import { To } from '../link.tsx'
import type { Sibling } from './list-declaration.ts'
import classes from './page.module.css'

/** Lists that belong together. */
export const SiblingTabs = ({ siblings }: { siblings: Sibling[] }) => (
  <nav className={classes.tabs} aria-label="Related lists">
    {siblings.map(({ path, label }) => (
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
