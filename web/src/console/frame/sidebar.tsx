import { IconHome } from '@tabler/icons-react'
import { useLocation } from '@tanstack/react-router'
import { AREAS, type Area } from '../areas.ts'
import { To } from '../link.tsx'
import classes from './frame.module.css'
import { OrganizationSwitcher } from './organization-switcher.tsx'
import { useAreas } from './use-areas.ts'

export function Sidebar({ close }: { close: () => void }) {
  const [, , here] = useLocation().pathname.split('/')
  const above = AREAS.find(({ path }) => path === here)?.below
  const shown = useAreas().filter(({ below }) => !below)
  const lower = shown.filter((area) => area.lower)
  const link = ({ path, label, Icon }: Area) => (
    <To
      key={path}
      to={path}
      className={classes.link}
      activeOptions={{ includeSearch: false }}
      {...(path === above && { 'data-status': 'active' })}
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
