import { bracketMatching, StreamLanguage } from '@codemirror/language'
import { powerShell } from '@codemirror/legacy-modes/mode/powershell'
import { shell } from '@codemirror/legacy-modes/mode/shell'
import { EditorView, lineNumbers } from '@codemirror/view'
import { CodeEditor } from './code-editor.tsx'

interface Props {
  label: string
  language: 'shell' | 'powershell'
  value: string
  readOnly?: boolean
  onChange: (text: string) => void
}

const look = EditorView.theme({
  '.cm-scroller': { minHeight: '14rem', maxHeight: '60vh' },
  '.cm-gutters': {
    backgroundColor: 'transparent',
    color: 'var(--mantine-color-dimmed)',
    border: 'none',
  },
})

const common = [lineNumbers(), bracketMatching(), look]
const EXTENSIONS = {
  shell: [...common, StreamLanguage.define(shell)],
  powershell: [...common, StreamLanguage.define(powerShell)],
}

/** Scripts with highlighting. */
export const ScriptEditor = ({ language, readOnly = false, ...props }: Props) => (
  <CodeEditor
    key={`${language} ${readOnly}`}
    {...props}
    readOnly={readOnly}
    extensions={EXTENSIONS[language]}
  />
)
