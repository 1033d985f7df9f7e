import { autocompletion, closeBrackets, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { EditorState, type Extension, Prec } from '@codemirror/state'
import { EditorView, keymap, placeholder } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useRef } from 'react'
import { styleNonce } from './style-nonce.ts'

const theme = EditorView.theme({
  '&': {
    border: '1px solid var(--gh-line)',
    borderRadius: 'var(--mantine-radius-md)',
    backgroundColor: 'var(--gh-surface)',
    fontSize: 'var(--mantine-font-size-sm)',
  },
  '&.cm-focused': {
    outline: '2px solid var(--mantine-color-indigo-5)',
    outlineOffset: '-1px',
  },
  '.cm-scroller': { fontFamily: 'var(--mantine-font-family-monospace)', lineHeight: '1.5' },
  '.cm-content': { padding: '0.4375rem 0.25rem', caretColor: 'var(--mantine-color-text)' },
  '.cm-cursor': { borderLeftColor: 'var(--mantine-color-text)' },
  '.cm-placeholder': { color: 'var(--mantine-color-dimmed)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, ::selection': {
    backgroundColor: 'var(--gh-active)',
  },
  '.cm-tooltip': {
    border: '1px solid var(--gh-line)',
    borderRadius: 'var(--mantine-radius-md)',
    backgroundColor: 'var(--gh-surface)',
    boxShadow: 'var(--mantine-shadow-md)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: 'var(--mantine-font-family-monospace)',
    maxHeight: '18rem',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '0.25rem 0.625rem' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--gh-active)',
    color: 'var(--gh-active-text)',
  },
  '.cm-completionDetail': { color: 'var(--mantine-color-dimmed)', fontStyle: 'normal' },
})

const colours = HighlightStyle.define([
  { tag: tags.comment, color: 'var(--mantine-color-dimmed)', fontStyle: 'italic' },
  {
    tag: [tags.definition(tags.variableName), tags.standard(tags.variableName)],
    fontWeight: '600',
  },
  { tag: tags.keyword, color: 'var(--gh-active-text)', fontWeight: '600' },
  { tag: tags.operator, color: 'var(--gh-active-text)' },
  { tag: tags.propertyName, color: 'var(--mantine-color-text)', fontWeight: '600' },
  { tag: [tags.string, tags.literal], color: 'var(--gh-good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--gh-warn)' },
])

/**
 * Typing over a selection. Chromium would keep the colours of the replaced text as inline styles, which the content
 * security policy refuses.
 */
const typeOver = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { main } = view.state.selection
    if (event.inputType !== 'insertText' || event.data === null || main.empty) return false
    event.preventDefault()
    view.dispatch({ ...view.state.replaceSelection(event.data), userEvent: 'input.type' })
    return true
  },
})

interface Props {
  /** For screen readers. */
  label: string
  value: string
  onChange: (text: string) => void
  /** Enter in a field of one line, Ctrl or ⌘ and Enter in a larger one. */
  onSubmit?: () => void
  oneLine?: boolean
  hint?: string
  readOnly?: boolean
  /** Language and completion; read once. */
  extensions?: Extension
}

export function CodeEditor({
  label,
  value,
  onChange,
  onSubmit,
  oneLine,
  hint,
  readOnly,
  extensions = [],
}: Props) {
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  // The editor lives longer than one rendering: it calls what was passed last.
  const latest = useRef({ onChange, onSubmit })
  latest.current = { onChange, onSubmit }
  // biome-ignore lint/correctness/useExhaustiveDependencies: built once; the next effect follows the value
  useEffect(() => {
    const submit = () => {
      latest.current.onSubmit?.()
      return latest.current.onSubmit !== undefined
    }
    const editor = new EditorView({
      parent: place.current!,
      state: EditorState.create({
        doc: value,
        extensions: [
          EditorView.cspNonce.of(styleNonce),
          history(),
          closeBrackets(),
          autocompletion({ icons: false }),
          // Enter first completes.
          Prec.highest(keymap.of(completionKeymap)),
          Prec.high(keymap.of([{ key: oneLine ? 'Enter' : 'Mod-Enter', run: submit }])),
          // Tab leaves the editor, as any other field.
          keymap.of([...defaultKeymap, ...historyKeymap]),
          typeOver,
          theme,
          syntaxHighlighting(colours),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorState.readOnly.of(readOnly ?? false),
          ...(hint ? [placeholder(hint)] : []),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) latest.current.onChange(update.state.doc.toString())
          }),
          extensions,
        ],
      }),
    })
    view.current = editor
    return () => editor.destroy()
  }, [])
  useEffect(() => {
    const editor = view.current
    const shown = editor?.state.doc.toString()
    if (editor && shown !== value)
      editor.dispatch({ changes: { from: 0, to: shown!.length, insert: value } })
  }, [value])
  return <div ref={place} />
}
