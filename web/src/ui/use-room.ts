import { useResizeObserver } from '@mantine/hooks'
import { useEffect } from 'react'

/**
 * For what floats at the lower edge of the window: tells its height, with the gap, as a property of the page, so that
 * others make room. Returns the ref of the element.
 */
export function useRoom(property: `--gh-${string}`, gapPx: number) {
  const [ref, { height }] = useResizeObserver()
  useEffect(() => {
    const { style } = document.documentElement
    if (height > 0) style.setProperty(property, `${height + gapPx}px`)
    return () => void style.removeProperty(property)
  }, [property, gapPx, height])
  return ref
}
