import { Skeleton } from '@mantine/core'
import { type ComponentProps, lazy, Suspense } from 'react'
import type { ScriptEditor } from './script-editor.tsx'

const Editor = lazy(async () => ({ default: (await import('./script-editor.tsx')).ScriptEditor }))

/** The editor is large: it is loaded by the pages that show it. */
export const LazyScriptEditor = (props: ComponentProps<typeof ScriptEditor>) => (
  <Suspense fallback={<Skeleton h={240} />}>
    <Editor {...props} />
  </Suspense>
)
