import { To, useAddress } from '../link.tsx'
import classes from './views.module.css'

interface Props {
  /** Of the tab. */
  to: string
  label: string
  views: { id: string; label: string }[]
}

/** Parts of a tab, each with an address. The first has none. */
export function Views({ to, label, views }: Props) {
  const { view = views[0]?.id } = useAddress()
  return (
    <nav className={classes.views} aria-label={label}>
      {views.map(({ id, label }, at) => (
        <To
          key={id}
          to={to}
          search={at === 0 ? {} : { view: id }}
          className={classes.view}
          activeOptions={{ exact: true, includeSearch: false }}
          {...(view === id ? { 'data-shown': true, 'aria-current': 'page' } : {})}
        >
          {label}
        </To>
      ))}
    </nav>
  )
}
