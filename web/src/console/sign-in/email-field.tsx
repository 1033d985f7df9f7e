import { TextInput, type TextInputProps } from '@mantine/core'

export const EmailField = (props: TextInputProps) => (
  <TextInput
    label="E-mail"
    name="email"
    type="email"
    autoComplete="username"
    required
    withAsterisk={false}
    {...props}
  />
)
