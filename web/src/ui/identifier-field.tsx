import { TextInput, type TextInputProps } from '@mantine/core'

/** The sign-in name; phones must not capitalize or autocorrect it. */
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
