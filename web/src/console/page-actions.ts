import type { Icon } from '@tabler/icons-react'
import { useEffect, useRef } from 'react'

/** What can be done on the page that is shown, for the palette. */
export interface PageAction {
  label: string
  Icon: Icon
  run: () => void
}

const shown = new Set<{ current: PageAction[] }>()

export function usePageActions(actions: PageAction[]): void {
  const latest = useRef(actions)
  latest.current = actions
  useEffect(() => {
    shown.add(latest)
    return () => void shown.delete(latest)
  }, [])
}

export const pageActions = (): PageAction[] => [...shown].flatMap(({ current }) => current)
