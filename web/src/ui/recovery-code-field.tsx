import { TextInput, type TextInputProps } from '@mantine/core'
import classes from './recovery-code-field.module.css'

export const RecoveryCodeField = (props: TextInputProps) => (
  <TextInput
    label="Recovery code"
    description="One of the codes you saved when you set up the second factor"
    autoComplete="off"
    autoCapitalize="none"
    spellCheck={false}
    maxLength={32}
    required
    withAsterisk={false}
    classNames={{ input: classes.input! }}
    {...props}
  />
)
