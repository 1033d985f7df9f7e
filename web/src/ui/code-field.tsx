import { TextInput, type TextInputProps } from '@mantine/core'
import classes from './code-field.module.css'

/** Six digits in one field, which supports pasting and autofill. */
export const CodeField = (props: TextInputProps) => (
  <TextInput
    label="Code"
    description="The six digits that your authenticator app shows"
    inputMode="numeric"
    autoComplete="one-time-code"
    maxLength={7}
    required
    withAsterisk={false}
    classNames={{ input: classes.input! }}
    {...props}
  />
)
