import { IconHome } from '@tabler/icons-react'
import { AREAS, type Area } from '../areas.ts'
import { To } from '../link.tsx'
import { useMay } from '../organization.ts'
import classes from './frame.module.css'
import { OrganizationSwitcher } from './organization-switcher.tsx'

/** Areas that the role may read; the server decides anyway. */
export function Sidebar({ close }: { close: () => void }) {
  const may = useMay()
  const shown = AREAS.filter(({ scope, below }) => !below && may.read(scope))
  const lower = shown.filter((area) => area.lower)
  const link = ({ path, label, Icon }: Area) => (
    <To
      key={path}
      to={path}
      className={classes.link}
      activeOptions={{ includeSearch: false }}
      onClick={close}
    >
      <Icon size={18} stroke={1.75} aria-hidden />
      {label}
    </To>
  )
  return (
    <>
      <OrganizationSwitcher />
      <div className={classes.links}>
        <To to="" className={classes.link} activeOptions={{ exact: true }} onClick={close}>
          <IconHome size={18} stroke={1.75} aria-hidden />
          Home
        </To>
        {shown.filter((area) => !area.lower).map(link)}
        {lower.length > 0 && <hr className={classes.rule} />}
        {lower.map(link)}
      </div>
    </>
  )
}
