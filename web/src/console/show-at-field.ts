import type { UseFormReturnType } from '@mantine/form'
import { flushSync } from 'react-dom'
import { pathOf } from '../api/error-path.ts'

/** Shows an error at the field that it is about, and goes there: forms are longer than the window. */
export function showAtField<Values>(
  form: UseFormReturnType<Values>,
  error: Error,
  name = pathOf(error)[0],
): void {
  if (!name || !(name in (form.getValues() as object))) return
  flushSync(() => form.setFieldError(name, error.message))
  document
    .querySelector('.mantine-InputWrapper-error')
    ?.closest('.mantine-InputWrapper-root')
    ?.querySelector<HTMLElement>('input, textarea, button')
    ?.focus()
}
