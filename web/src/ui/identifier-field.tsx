import { TextInput, type TextInputProps } from '@mantine/core'

/** What people sign in with; phones must not write it with a capital, nor correct it. */
export const IdentifierField = (props: TextInputProps) => (
  <TextInput
    label="E-mail or username"
    name="username"
    autoComplete="username"
    autoCapitalize="none"
    spellCheck={false}
    required
    withAsterisk={false}
    {...props}
  />
)
