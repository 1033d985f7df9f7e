import { MultiSelect, NumberInput, Select, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { components } from '../../../../../client/insights.gen.ts'
import { fromJson, toJson } from '../../insights/query/term.ts'
import { parseQuery, printQuery } from '../../insights/query/text.ts'
import { useSchema } from '../../insights/reads.ts'

/** As it is read. */
export type Hook = Omit<components['schemas']['Forwarder'], 'cursor'>
type Write = components['schemas']['ForwarderWrite']

export interface Values {
  name: string
  url: string
  format: Hook['format']
  /** None: all. */
  services: string[]
  /** In the language of Insights, as text or as JSON; empty: every event. */
  query: string
  batchSize: number | string
}

const MAX_BATCH = 1000
const FORMATS = [
  { value: 'json', label: 'A JSON array' },
  { value: 'ndjson', label: 'One document a line' },
]

export const NEW: Values = {
  ...{ name: '', url: '', format: 'json', services: [], query: '' },
  batchSize: 500,
}

/** As text, or as JSON if it says more than the text can. */
function shown(term: Hook['search_term']): string {
  try {
    return printQuery(fromJson(term))
  } catch {
    return JSON.stringify(term)
  }
}

const termOf = (query: string): unknown =>
  query.trim().startsWith('{') ? JSON.parse(query) : toJson(parseQuery(query))

export const valuesOf = (hook: Hook): Values => ({
  name: hook.name,
  url: hook.url,
  format: hook.format,
  services: hook.service.filter((service) => service !== 'all'),
  query: shown(hook.search_term),
  batchSize: hook.batch_size,
})

export function bodyOf({ services, query, batchSize, ...values }: Values): Write {
  const term = termOf(query)
  return {
    ...values,
    service: services.length > 0 ? services : ['all'],
    batch_size: Number(batchSize),
    ...(term !== undefined && { search_term: term }),
  }
}

/** Why a query cannot be read; null if it can. */
function problemOf(query: string): string | null {
  try {
    termOf(query)
    return null
  } catch (error) {
    return (error as Error).message
  }
}

export const validate = { query: problemOf }

export function WebhookFields({ form }: { form: UseFormReturnType<Values> }) {
  const schema = useSchema()
  return (
    <>
      <TextInput size="sm" label="Name" required data-autofocus {...form.getInputProps('name')} />
      <TextInput
        size="sm"
        label="Address"
        type="url"
        required
        placeholder="https://siem.example.com/events"
        {...form.getInputProps('url')}
      />
      <MultiSelect
        size="sm"
        label="Services"
        description="None chosen: all"
        data={(schema?.services ?? []).map(({ name }) => ({
          value: name,
          label: name.replaceAll('_', ' '),
        }))}
        {...form.getInputProps('services')}
      />
      <TextInput
        size="sm"
        label="Only events that match"
        description="In the language of Insights; empty: every event"
        placeholder="success = false"
        {...form.getInputProps('query')}
      />
      <Select
        size="sm"
        label="Format"
        allowDeselect={false}
        data={FORMATS}
        {...form.getInputProps('format')}
      />
      <NumberInput
        size="sm"
        label="Events per request at most"
        min={1}
        max={MAX_BATCH}
        allowDecimal={false}
        required
        {...form.getInputProps('batchSize')}
      />
    </>
  )
}
