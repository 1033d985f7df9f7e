import { autocompletion } from '@codemirror/autocomplete'
import { json } from '@codemirror/lang-json'
import { Button, Group, SegmentedControl, Text } from '@mantine/core'
import { useEffect, useMemo, useRef, useState } from 'react'
import { CodeEditor } from '../../ui/code-editor.tsx'
import classes from './explorer.module.css'
import type { ExplorerState } from './explorer-state.ts'
import type { FieldInfo } from './fields.ts'
import { completing, type Vocabulary } from './query/completion.ts'
import { queryLanguage } from './query/highlight.ts'
import { fromJson, toJson } from './query/term.ts'
import { parseQuery, printQuery } from './query/text.ts'
import { type Schema, useValuesOf } from './reads.ts'

type Form = 'text' | 'json'

const asJson = (text: string): string => JSON.stringify(toJson(parseQuery(text)) ?? {}, null, 2)

/** The query as text; throws if what was typed is neither. */
const asText = (form: Form, typed: string): string =>
  form === 'json'
    ? printQuery(fromJson(JSON.parse(typed || 'null')))
    : printQuery(parseQuery(typed))

interface Props {
  state: ExplorerState
  fields: FieldInfo[]
  schema: Schema | undefined
}

/** The query as text or as the JSON of a request; either can be edited. */
export function QueryBar({ state, fields, schema }: Props) {
  const [form, setForm] = useState<Form>('text')
  const [typed, setTyped] = useState(state.query)
  const [error, setError] = useState<string | null>(null)
  const valuesOf = useValuesOf(state)
  const vocabulary = useRef<Vocabulary>(null)
  vocabulary.current = { fields, operators: schema?.operators ?? {}, valuesOf }
  const show = (next: Form, query: string) => {
    setForm(next)
    setTyped(next === 'json' ? asJson(query) : query)
    setError(null)
  }
  useEffect(() => {
    // A link, "back", or a value that was clicked.
    try {
      setTyped(form === 'json' ? asJson(state.query) : state.query)
      setError(null)
    } catch {
      setTyped(state.query)
    }
  }, [state.query, form])
  useEffect(() => setError(state.error?.message ?? null), [state.error])

  const attempt = (use: (text: string) => void) => {
    try {
      use(asText(form, typed))
    } catch (problem) {
      setError((problem as Error).message)
    }
  }
  const search = () =>
    attempt((text) => {
      setError(null)
      if (text === state.query) state.refresh()
      else state.setQuery(text)
    })
  const extensions = useMemo(
    () => ({
      text: [queryLanguage, autocompletion({ override: [completing(() => vocabulary.current!)] })],
      json: [json()],
    }),
    [],
  )
  return (
    <div>
      <Group gap="xs" align="flex-start" wrap="nowrap">
        <div className={classes.query}>
          <CodeEditor
            key={form}
            label={form === 'text' ? 'Query' : 'Query as JSON'}
            value={typed}
            onChange={setTyped}
            onSubmit={search}
            oneLine={form === 'text'}
            hint={form === 'text' ? 'Every event · type a field, such as event_type' : ''}
            extensions={extensions[form]}
          />
        </div>
        <SegmentedControl
          size="sm"
          aria-label="Form of the query"
          data={[
            { value: 'text', label: 'Text' },
            { value: 'json', label: 'JSON' },
          ]}
          value={form}
          onChange={(next) => attempt((text) => show(next as Form, text))}
        />
        <Button size="sm" onClick={search}>
          Search
        </Button>
      </Group>
      {error && (
        <Text size="sm" c="var(--mantine-color-error)" mt={4} role="alert">
          {error}
        </Text>
      )}
    </div>
  )
}
