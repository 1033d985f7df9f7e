import { Kbd } from '@mantine/core'

/** A key of the keyboard. ⌘ is Ctrl where there is no ⌘. */
export const Key = ({ children }: { children: string }) => {
  const apple = /Mac|iPhone|iPad/.test(navigator.userAgent)
  return <Kbd size="xs">{apple ? children : children.replace('⌘', 'Ctrl ')}</Kbd>
}
