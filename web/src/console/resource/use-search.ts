import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'

const DEBOUNCE_MS = 150

/** The field follows the keys at once and the address when they pause; a link or "back" changes the field. */
export function useSearchField(inAddress: string, settle: (text: string) => void) {
  const [text, setText] = useState(inAddress)
  const sent = useRef(inAddress)
  const later = useDebouncedCallback((typed: string) => {
    sent.current = typed
    settle(typed)
  }, DEBOUNCE_MS)
  useEffect(() => {
    if (inAddress === sent.current) return
    sent.current = inAddress
    setText(inAddress)
  }, [inAddress])
  const type = (typed: string) => {
    setText(typed)
    later(typed.trim())
  }
  return [text, type] as const
}
