import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'

export interface Question {
  title: string
  /** What will happen. */
  text: string
  /** On the button. */
  action: string
  /** Has to be typed first, where much would be lost. */
  typed?: string
  run: () => void
}

/** Asks before something that cannot be taken back. */
export function Confirm({ question, close }: { question: Question | null; close: () => void }) {
  const [typed, setTyped] = useState('')
  const leave = () => {
    setTyped('')
    close()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // The button may be in a form, which is another matter.
    event.stopPropagation()
    question?.run()
    leave()
  }
  return (
    <Modal opened={question !== null} onClose={leave} title={question?.title ?? ''}>
      {question && (
        <form onSubmit={submit}>
          <Stack>
            <Text size="sm">{question.text}</Text>
            {question.typed && (
              <TextInput
                size="sm"
                label={`Type ${question.typed} to confirm`}
                data-autofocus
                autoComplete="off"
                value={typed}
                onChange={(event) => setTyped(event.currentTarget.value)}
              />
            )}
            <Group justify="flex-end">
              <Button size="sm" variant="default" onClick={leave}>
                Cancel
              </Button>
              <Button
                size="sm"
                type="submit"
                color="red.9"
                disabled={question.typed !== undefined && typed !== question.typed}
              >
                {question.action}
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  )
}
