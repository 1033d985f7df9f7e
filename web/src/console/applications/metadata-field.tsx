import { Button, Checkbox, FileButton, Group, Text, TextInput } from '@mantine/core'
import { IconUpload } from '@tabler/icons-react'
import { useState } from 'react'

interface Metadata {
  url: string
  xml: string
  follow: boolean
}

interface Props {
  value: Metadata
  onChange: (value: Metadata) => void
}

export const NO_METADATA: Metadata = { url: '', xml: '', follow: false }

/** As the API takes it: one of the two. */
export const metadataBody = ({ url, xml, follow }: Metadata) => (xml ? { xml } : { url, follow })

/** The metadata of a service provider: its URL, or a file. */
export function MetadataField({ value, onChange }: Props) {
  const [file, setFile] = useState('')
  const read = async (chosen: File | null) => {
    if (!chosen) return
    setFile(chosen.name)
    onChange({ ...NO_METADATA, xml: await chosen.text() })
  }
  return (
    <Group align="flex-end" gap="xs">
      <TextInput
        flex={1}
        size="sm"
        type="url"
        label="Metadata of the service provider"
        description="Its URL, or the file that the service provider offers"
        placeholder="https://example.com/saml/metadata"
        value={value.url}
        onChange={(event) => onChange({ ...value, url: event.currentTarget.value, xml: '' })}
      />
      <FileButton accept=".xml,application/xml,text/xml" onChange={read}>
        {(props) => (
          <Button
            {...props}
            size="sm"
            variant="default"
            leftSection={<IconUpload size={16} aria-hidden />}
          >
            Choose file
          </Button>
        )}
      </FileButton>
      {value.url !== '' && (
        <Checkbox
          size="sm"
          w="100%"
          label="Follow this URL"
          description="Read it again every six hours, and apply what has changed; https only"
          checked={value.follow}
          onChange={(event) => onChange({ ...value, follow: event.currentTarget.checked })}
        />
      )}
      {value.xml !== '' && (
        <Text size="sm" c="dimmed" w="100%" role="status">
          {file}
        </Text>
      )}
    </Group>
  )
}
