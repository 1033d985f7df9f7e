import { useHotkeys } from '@mantine/hooks'
import { type RefObject, useEffect } from 'react'
import { useAddress, useGo, usePath } from '../link.tsx'

/** In the address of an object: its form is to be filled in. */
export const EDIT = { edit: '1' }

const FIELD =
  'input:not([readonly], [disabled], [type=hidden]), textarea:not([readonly], [disabled]), [contenteditable=true]'

interface Tab {
  id: string
  edits?: boolean
}

/** `e` leads to the first field of the form of the object. */
export function useEditKey(
  path: string,
  tabs: Tab[],
  shown: Tab | undefined,
  content: RefObject<HTMLElement | null>,
): void {
  const { id } = usePath()
  const { edit, ...search } = useAddress()
  const go = useGo()
  const form = tabs.find(({ edits }) => edits)
  const goTo = (tab: Tab, also: Record<string, string>, replace: boolean) =>
    void go(tab === tabs[0] ? `${path}/${id}` : `${path}/${id}/${tab.id}`, {
      search: also,
      replace,
    })
  const there = form !== undefined && form.id === shown?.id
  useHotkeys([['e', () => form && goTo(form, EDIT, there)]])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address and the tabs decide; functions are made anew
  useEffect(() => {
    if (!edit || !form || !content.current) return
    if (!there) return goTo(form, EDIT, true)
    const area = content.current
    // What the form shows may still be on its way.
    const focus = () => {
      const field = area.querySelector<HTMLElement>(FIELD)
      if (!field) return
      field.focus()
      goTo(form, search, true)
    }
    const watched = new MutationObserver(focus)
    watched.observe(area, { childList: true, subtree: true })
    focus()
    return () => watched.disconnect()
  }, [edit, there])
}
