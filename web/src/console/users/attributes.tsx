import { ActionIcon, Button, Group, Paper, Stack, Text, TextInput, Title } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { IconPlus, IconX } from '@tabler/icons-react'
import type { Profile } from './profile-fields.ts'

interface Props {
  form: UseFormReturnType<Profile>
  readOnly: boolean
}

/** Custom attributes of the organization. */
export function Attributes({ form, readOnly }: Props) {
  const { attributes } = form.values
  return (
    <Paper p="lg" withBorder component="section" bg="var(--gh-surface)">
      <Title order={2} size="h5" mb="sm">
        Custom attributes
      </Title>
      <Stack gap="xs">
        {attributes.length === 0 && (
          <Text size="sm" c="dimmed">
            None. Rules of groups and mappings of applications can use them.
          </Text>
        )}
        {attributes.map((_, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity while they are edited
          <Group key={at} wrap="nowrap">
            <TextInput
              flex={1}
              size="sm"
              aria-label={`Name of attribute ${at + 1}`}
              placeholder="Name"
              readOnly={readOnly}
              {...form.getInputProps(`attributes.${at}.name`)}
            />
            <TextInput
              flex={2}
              size="sm"
              aria-label={`Value of attribute ${at + 1}`}
              placeholder="Value"
              readOnly={readOnly}
              {...form.getInputProps(`attributes.${at}.value`)}
            />
            {!readOnly && (
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={`Remove attribute ${at + 1}`}
                onClick={() => form.removeListItem('attributes', at)}
              >
                <IconX size={16} aria-hidden />
              </ActionIcon>
            )}
          </Group>
        ))}
        {!readOnly && (
          <div>
            <Button
              variant="default"
              size="xs"
              leftSection={<IconPlus size={14} aria-hidden />}
              onClick={() => form.insertListItem('attributes', { name: '', value: '' })}
            >
              Add attribute
            </Button>
          </div>
        )}
      </Stack>
    </Paper>
  )
}
