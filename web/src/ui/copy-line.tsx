import { Button, Code, CopyButton, Group } from '@mantine/core'

/** Text to paste elsewhere, with a button that copies it. */
export const CopyLine = ({ text }: { text: string }) => (
  <Group gap="xs" wrap="nowrap" align="stretch">
    <Code block tabIndex={0} flex={1} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
      {text}
    </Code>
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Button variant="default" size="sm" h="auto" miw={92} onClick={copy}>
          {copied ? 'Copied' : 'Copy'}
        </Button>
      )}
    </CopyButton>
  </Group>
)
