import { Button } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { Confirm, type Question } from '../../ui/confirm.tsx'

/** Ends a connection to another system, after a question. */
export function RemoveButton(question: Question) {
  const [asking, setAsking] = useState(false)
  return (
    <>
      <Button
        size="sm"
        variant="subtle"
        color="red"
        leftSection={<IconTrash size={16} aria-hidden />}
        onClick={() => setAsking(true)}
      >
        {question.action}
      </Button>
      <Confirm question={asking ? question : null} close={() => setAsking(false)} />
    </>
  )
}
