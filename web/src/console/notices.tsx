import { Button, Code, CopyButton, Text, UnstyledButton } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { ApiError } from '../api/session.ts'

const UNDO_MS = 10_000

let takeBack: (() => void) | undefined

/** Takes the last change back, also after its notice has gone: ten seconds are short for one who uses the keyboard. */
export function undoLast(): void {
  takeBack?.()
}

export function forgetUndo(): void {
  takeBack = undefined
}

/** What failed, and the id by which the operator finds the request in the log. */
export function notifyFailure(error: Error): void {
  const requestId = error instanceof ApiError ? error.requestId : null
  notifications.show({
    color: 'red',
    autoClose: UNDO_MS,
    withBorder: true,
    closeButtonProps: { 'aria-label': 'Close the notice' },
    message: (
      <>
        <Text size="sm">{error.message}</Text>
        {requestId && (
          <CopyButton value={requestId}>
            {({ copied, copy }) => (
              <UnstyledButton onClick={copy} fz="xs" c="dimmed">
                {copied ? 'Copied' : 'Copy the request id'}{' '}
                <Code fz="xs">{requestId.slice(0, 8)}</Code>
              </UnstyledButton>
            )}
          </CopyButton>
        )}
      </>
    ),
  })
}

export function notifyDone(words: string, undo?: () => Promise<unknown>): void {
  const run = () => {
    forgetUndo()
    notifications.hide(id)
    void undo?.()
  }
  const id = notifications.show({
    color: 'teal',
    autoClose: undo ? UNDO_MS : 4000,
    withBorder: true,
    closeButtonProps: { 'aria-label': 'Close the notice' },
    message: (
      <>
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {words}
        </Text>
        {undo && (
          <Button size="compact-sm" variant="light" mt={4} onClick={run}>
            Undo
          </Button>
        )}
      </>
    ),
  })
  // Never an older change than the last one.
  takeBack = undo && run
}
