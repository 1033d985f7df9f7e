import { IconHome } from '@tabler/icons-react'
import { AREAS } from '../areas.ts'
import { To } from '../link.tsx'
import { useMay } from '../organization.ts'
import classes from './frame.module.css'
import { OrganizationSwitcher } from './organization-switcher.tsx'

/** Areas that the role may read; the server decides anyway. */
export function Sidebar({ close }: { close: () => void }) {
  const may = useMay()
  return (
    <>
      <OrganizationSwitcher />
      <div className={classes.links}>
        <To to="" className={classes.link} activeOptions={{ exact: true }} onClick={close}>
          <IconHome size={18} stroke={1.75} aria-hidden />
          Home
        </To>
        {AREAS.filter(({ scope }) => may.read(scope)).map(({ path, label, Icon }) => (
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
        ))}
      </div>
    </>
  )
}
