import { TextInput, type TextInputProps } from '@mantine/core'
import classes from './code-field.module.css'

export const isWholeCode = (value: string): boolean => /^\d{3} ?\d{3}$/.test(value.trim())

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
