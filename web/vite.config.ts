import { readFileSync } from 'node:fs'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const { version } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { version: string }

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  define: { 'import.meta.env.VITE_VERSION': JSON.stringify(version) },
  build: {
    // No inlining: the content security policy of the pages allows neither data: nor inline content.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // One document for each face; what they share becomes chunks of its own.
    rolldownOptions: {
      input: ['index.html', 'console.html'].map((page) => `${import.meta.dirname}/${page}`),
      // Else each icon that several pages show is a file, and a page is there when the last of its files is.
      output: { codeSplitting: { groups: [{ name: 'icons', test: /@tabler/ }] } },
    },
    chunkSizeWarningLimit: 800,
  },
  // `npx vite web` beside a running service.
  server: { proxy: { '/auth': 'http://localhost:8080', '/api': 'http://localhost:8080' } },
})
