import { Group, Modal, Stack, Text } from '@mantine/core'
import { Key } from '../../ui/key.tsx'

const KEYS = [
  ['⌘K', 'Search or jump to anything'],
  ['/', 'Search this list'],
  ['j', 'Next row'],
  ['k', 'Previous row'],
  ['Enter', 'Open the row'],
  ['x', 'Select the row'],
  ['e', 'Edit the row, or what the page shows'],
  ['⌘Z', 'Undo the last change, if its notice offered that'],
  ['?', 'Show these keys'],
] as const

export const KeysDialog = ({ opened, close }: { opened: boolean; close: () => void }) => (
  <Modal opened={opened} onClose={close} title="Keyboard shortcuts" size="sm">
    <Stack gap="xs">
      {KEYS.map(([key, about]) => (
        <Group key={key} justify="space-between">
          <Text size="sm">{about}</Text>
          <Key>{key}</Key>
        </Group>
      ))}
    </Stack>
  </Modal>
)
