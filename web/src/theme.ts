import { type CSSVariablesResolver, createTheme } from '@mantine/core'

export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 7, dark: 7 },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: 'Inter, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif',
  headings: { fontWeight: '650', sizes: { h1: { fontSize: '1.625rem', lineHeight: '1.25' } } },
  components: {
    Button: { defaultProps: { size: 'md' } },
    TextInput: { defaultProps: { size: 'md' } },
    PasswordInput: { defaultProps: { size: 'md' } },
  },
})

/** Mantine's own shades of secondary text and of errors are too faint for WCAG AA. */
export const colors: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: {
    '--mantine-color-body': '#f6f7fb',
    '--mantine-color-dimmed': colors.gray[7],
    '--mantine-color-error': colors.red[9],
    '--gh-surface': '#ffffff',
  },
  dark: {
    '--mantine-color-body': '#16181d',
    '--mantine-color-dimmed': colors.dark[1],
    '--mantine-color-error': colors.red[4],
    '--gh-surface': '#1f2228',
  },
})
