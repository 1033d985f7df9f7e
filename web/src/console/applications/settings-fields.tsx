import { Accordion, Stack } from '@mantine/core'
import { SettingField } from './setting-field.tsx'
import { type Entry, SECTIONS, settingError, type Values } from './settings.ts'

interface Props {
  entries: Entry[]
  values: Values
  set: (name: string, value: unknown) => void
  readOnly?: boolean
  /** Of the headings of sections. */
  order: 2 | 3
  error: Error | null
}

/** The form of a template: what every application needs, and the rest in sections that open. */
export function SettingsFields({ entries, values, set, readOnly = false, order, error }: Props) {
  const wrong = settingError(error)
  const grouped = SECTIONS.flatMap(({ names }) => names)
  const shown = entries.filter(({ dependsOn }) => !dependsOn || values[dependsOn] === true)
  const field = (entry: Entry) => (
    <SettingField
      key={entry.name}
      entry={entry}
      value={values[entry.name]}
      onChange={(value) => set(entry.name, value)}
      readOnly={readOnly}
      error={wrong?.name === entry.name ? wrong.message : undefined}
    />
  )
  const sections = SECTIONS.map(({ title, names }) => ({
    title,
    fields: shown.filter(({ name }) => names.includes(name)),
  })).filter(({ fields }) => fields.length > 0)
  return (
    <Stack gap="md">
      {shown.filter(({ name }) => !grouped.includes(name)).map(field)}
      <Accordion
        variant="contained"
        multiple
        order={order}
        keepMounted={false}
        {...(wrong && { defaultValue: SECTIONS.map(({ title }) => title) })}
        key={wrong?.name ?? ''}
      >
        {sections.map(({ title, fields }) => (
          <Accordion.Item key={title} value={title}>
            <Accordion.Control fz="sm">{title}</Accordion.Control>
            <Accordion.Panel>
              <Stack gap="md">{fields.map(field)}</Stack>
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </Stack>
  )
}
