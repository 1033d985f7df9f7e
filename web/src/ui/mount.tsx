import './global.css'
import '@mantine/core/styles.layer.css'
import { MantineProvider } from '@mantine/core'
import { type ReactNode, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { styleNonce } from './style-nonce.ts'
import { colors, theme } from './theme.ts'

export const mount = (page: ReactNode): void =>
  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={colors}
        defaultColorScheme="auto"
        getStyleNonce={() => styleNonce}
      >
        {page}
      </MantineProvider>
    </StrictMode>,
  )
