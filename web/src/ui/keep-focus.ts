import { useLayoutEffect, useRef } from 'react'

/** The focus goes to the box when what had it, inside the box, is gone: it would be lost otherwise. */
export function useKeepFocus<T extends HTMLElement>() {
  const box = useRef<T>(null)
  const inside = box.current?.contains(document.activeElement)
  useLayoutEffect(() => {
    if (inside && document.activeElement === document.body) box.current?.focus()
  })
  return box
}
