import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  startCompletion,
} from '@codemirror/autocomplete'
import type { EditorView } from '@codemirror/view'
import type { FieldInfo } from '../fields.ts'
import { isList } from './term.ts'
import { expectedAtEnd, printField, printValue, written } from './text.ts'

const MAX_VALUES = 100

export interface Vocabulary {
  fields: FieldInfo[]
  /** Operators by kind of field. */
  operators: Record<string, string[]>
  valuesOf: (field: string) => Promise<{ key: string; count: number }[]>
}

/** Inserts the word and offers what comes next. */
const applying = (text: string) => (view: EditorView, _: Completion, from: number, to: number) => {
  view.dispatch({ changes: { from, to, insert: text }, selection: { anchor: from + text.length } })
  startCompletion(view)
}

const option = (label: string, text: string, detail?: string): Completion => ({
  label,
  apply: applying(text),
  ...(detail && { detail }),
})

const fieldOptions = ({ fields }: Vocabulary) => [
  ...fields.map(({ name, kinds }, at) => ({
    ...option(name, `${printField(name)} `, kinds.join(', ')),
    // In the order of the list, not of the alphabet.
    boost: -Math.min(at, 98),
  })),
  option('not', 'not '),
]

function operatorOptions({ fields, operators }: Vocabulary, field: string) {
  const kinds = fields.find(({ name }) => name === field)?.kinds ?? ['string']
  const names = [...new Set(kinds.flatMap((kind) => operators[kind] ?? []))]
  return names.map((name, at) => ({
    ...option(written(name), `${written(name)} ${isList(name) ? '(' : ''}`),
    boost: -at,
  }))
}

async function valueOptions({ fields, valuesOf }: Vocabulary, field: string) {
  const kinds = fields.find(({ name }) => name === field)?.kinds ?? []
  if (kinds.includes('boolean')) return [option('true', 'true '), option('false', 'false ')]
  const values = await valuesOf(field).catch(() => [])
  return values.slice(0, MAX_VALUES).map(({ key, count }, at) => {
    const text = kinds.includes('number') ? key : printValue(key)
    return { ...option(text, `${text} `, String(count)), boost: -at }
  })
}

/** Fields, operators and values where each belongs. */
export const completing =
  (vocabulary: () => Vocabulary) =>
  async (context: CompletionContext): Promise<CompletionResult | null> => {
    const text = context.state.sliceDoc(0, context.pos)
    const { kind, from, field = '' } = expectedAtEnd(text)
    const words = vocabulary()
    const options =
      kind === 'field'
        ? fieldOptions(words)
        : kind === 'operator'
          ? operatorOptions(words, field)
          : kind === 'value'
            ? await valueOptions(words, field)
            : [option('and', 'and '), option('or', 'or ')]
    return { from, options, validFor: /^[^\s(),]*$/ }
  }
