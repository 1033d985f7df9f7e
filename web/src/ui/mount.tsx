import '@mantine/core/styles.css'
import './global.css'
import { MantineProvider } from '@mantine/core'
import { type ReactNode, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { colors, theme } from './theme.ts'

/** The server writes a nonce into each page; its content security policy admits style elements that carry it. */
const nonce = document.querySelector<HTMLMetaElement>('meta[name=style-nonce]')?.content ?? ''

export const mount = (page: ReactNode): void =>
  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={colors}
        defaultColorScheme="auto"
        getStyleNonce={() => nonce}
      >
        {page}
      </MantineProvider>
    </StrictMode>,
  )
