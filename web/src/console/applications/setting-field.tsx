import { Select, Switch, Textarea, TextInput } from '@mantine/core'
import { PairsField } from '../../ui/pairs-field.tsx'
import { ClaimsField } from './claims-field.tsx'
import { type Entry, hasPlaceholder, type Values } from './settings.ts'

interface Props {
  entry: Entry
  value: unknown
  onChange: (value: unknown) => void
  readOnly: boolean
  error?: string | undefined
}

/** The API returns files in base64, and takes text. */
const textOf = (file: string): string => (/^[\w+/=]+$/.test(file) ? atob(file) : file)

const SUGGESTED = 'Replace the part in braces'

/** One setting of an application, drawn from its description. */
export function SettingField({ entry, value, onChange, error, ...props }: Props) {
  const { label, help, type } = entry
  const readOnly = props.readOnly || entry.readOnly
  const common = { size: 'sm', label, ...(help && { description: help }), error } as const
  if (type === 'bool')
    return (
      <Switch
        {...common}
        disabled={readOnly}
        checked={value === true}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    )
  if (type === 'select')
    return (
      <Select
        {...common}
        allowDeselect={false}
        readOnly={readOnly}
        data={entry.options}
        value={String(value)}
        onChange={onChange}
      />
    )
  if (type === 'file')
    return (
      <Textarea
        {...common}
        placeholder="-----BEGIN CERTIFICATE-----"
        autosize
        minRows={2}
        maxRows={6}
        readOnly={readOnly}
        value={textOf(String(value ?? ''))}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    )
  if (type === 'databaseAttributes' || type === 'constantAttributes')
    return (
      <PairsField
        label={label}
        description={help}
        columns={
          type === 'databaseAttributes' ? ['Attribute', 'User property'] : ['Attribute', 'Value']
        }
        readOnly={readOnly}
        error={error}
        value={value as { name: string; value: string }[]}
        onChange={onChange}
      />
    )
  if (type === 'object')
    return (
      <ClaimsField value={value as Values} onChange={onChange} readOnly={readOnly} error={error} />
    )
  return (
    <TextInput
      {...common}
      required={entry.required}
      withAsterisk={entry.required}
      readOnly={readOnly}
      {...(hasPlaceholder(value) && { description: `${SUGGESTED}. ${help}` })}
      value={String(value ?? '')}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
