import { type CSSVariablesResolver, createTheme, type MantineTheme } from '@mantine/core'

/** Of initials: those that have contrast as text on their own tint. */
const INITIALS = ['indigo', 'violet', 'grape', 'pink'] as const

export const theme = createTheme({
  primaryColor: 'indigo',
  colors: {
    // With a slight blue tint, like the other colours.
    dark: [
      '#d5d9e2',
      '#b3b9c5',
      '#8a92a3',
      '#5c6370',
      '#3f4551',
      '#323843',
      '#262a31',
      '#1f2228',
      '#16181d',
      '#111317',
    ],
  },
  primaryShade: { light: 7, dark: 7 },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: 'Inter, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif',
  headings: { fontWeight: '650', sizes: { h1: { fontSize: '1.625rem', lineHeight: '1.25' } } },
  components: {
    Avatar: { defaultProps: { allowedInitialsColors: [...INITIALS] } },
    Button: { defaultProps: { size: 'md' } },
    TextInput: { defaultProps: { size: 'md' } },
    PasswordInput: { defaultProps: { size: 'md' } },
    // Locking the scroll writes a style element, which the content security policy refuses.
    Modal: {
      defaultProps: {
        lockScroll: false,
        closeButtonProps: { 'aria-label': 'Close' },
        // Not the header of the page.
        attributes: { header: { role: 'presentation' } },
      },
    },
  },
})

/** Text on a tint of its colour, in a shade with contrast. */
const lightColors = (colors: MantineTheme['colors'], shade: number): Record<string, string> =>
  Object.fromEntries(
    INITIALS.map((name) => [`--mantine-color-${name}-light-color`, colors[name][shade]!]),
  )

/** Mantine's colours of secondary text and errors lack contrast for WCAG AA. */
export const colors: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: {
    '--mantine-color-body': '#f6f7fb',
    '--mantine-color-dimmed': colors.gray[7],
    '--mantine-color-error': colors.red[9],
    ...lightColors(colors, 9),
    '--mantine-color-indigo-light-hover': '#e7ecff',
    '--gh-surface': '#ffffff',
    '--gh-line': '#e5e7ef',
    '--gh-glow': '#dbe4ff',
    '--gh-hover': '#f1f3f9',
    '--gh-waiting': colors.gray[3],
    '--gh-active': '#e7ecff',
    '--gh-active-text': '#364fc7',
    '--gh-good': '#1f5c2c',
    '--gh-good-back': '#dcf5e5',
    '--gh-calm-back': '#eceef4',
    '--gh-warn': '#7c2d12',
    '--gh-warn-back': '#ffedd5',
    '--gh-bad': '#8b1a1a',
    '--gh-bad-back': '#ffe8e8',
  },
  dark: {
    '--mantine-color-body': colors.dark[8],
    '--mantine-color-dimmed': colors.dark[1],
    '--mantine-color-error': colors.red[4],
    ...lightColors(colors, 2),
    '--mantine-color-indigo-light-hover': '#2b3252',
    '--gh-surface': colors.dark[7],
    '--gh-line': '#33373f',
    '--gh-glow': '#262c48',
    '--gh-hover': '#2a2e36',
    '--gh-waiting': colors.dark[4],
    '--gh-active': '#2b3252',
    '--gh-active-text': '#bac8ff',
    '--gh-good': '#b2f2bb',
    '--gh-good-back': '#1c3527',
    '--gh-calm-back': '#33373f',
    '--gh-warn': '#ffd8a8',
    '--gh-warn-back': '#43301c',
    '--gh-bad': '#ffc9c9',
    '--gh-bad-back': '#462427',
  },
})
