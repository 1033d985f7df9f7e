import { readFileSync } from 'node:fs'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const { version } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { version: string }

/** `--mode` says which document is built. Built together, each would wait for what only the other needs. */
const DOCUMENTS: Record<string, string> = { portal: 'index.html', console: 'console.html' }

/** Code that so many pages use is one file: a page is there when the last of its files is. */
const SHARED_BY = 4

export default defineConfig(({ mode }) => ({
  root: import.meta.dirname,
  plugins: [react()],
  define: { 'import.meta.env.VITE_VERSION': JSON.stringify(version) },
  build: {
    // The other document's files are there already.
    emptyOutDir: false,
    // No inlining: the content security policy of the pages allows neither data: nor inline content.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      input: `${import.meta.dirname}/${DOCUMENTS[mode] ?? 'index.html'}`,
      output: {
        codeSplitting: {
          groups: [
            { name: 'icons', test: /@tabler/ },
            { name: 'libraries', test: /node_modules/, minShareCount: SHARED_BY },
            { name: 'shared', minShareCount: SHARED_BY },
          ],
        },
      },
    },
    chunkSizeWarningLimit: 800,
  },
  // `npx vite web` beside a running service.
  server: { proxy: { '/auth': 'http://localhost:8080', '/api': 'http://localhost:8080' } },
}))
