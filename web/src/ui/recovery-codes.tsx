import { Button, CopyButton, Group, Stack, Text } from '@mantine/core'
import { IconCheck, IconCopy, IconDownload } from '@tabler/icons-react'
import classes from './recovery-codes.module.css'

const asFile = (codes: string[]) =>
  `data:text/plain;charset=utf-8,${encodeURIComponent(
    `Recovery codes for ${window.location.host}\nEach works once, instead of a code from your app.\n\n${codes.join('\n')}\n`,
  )}`

interface Props {
  codes: string[]
  done: () => void
}

/** Shown only once: a user who does not save them has to create new ones. */
export const RecoveryCodes = ({ codes, done }: Props) => (
  <Stack>
    <Text size="sm" id="recovery-codes-lead">
      Without your phone, each of these codes signs you in once. Keep them in a safe place: they are
      not shown again.
    </Text>
    <ul className={classes.codes} aria-label="Recovery codes">
      {codes.map((code) => (
        <li key={code}>{code}</li>
      ))}
    </ul>
    <Group grow gap="sm">
      <CopyButton value={codes.join('\n')}>
        {({ copied, copy }) => (
          <Button
            variant="default"
            px="xs"
            autoFocus
            aria-describedby="recovery-codes-lead"
            leftSection={
              copied ? <IconCheck size={18} aria-hidden /> : <IconCopy size={18} aria-hidden />
            }
            onClick={copy}
          >
            {copied ? 'Copied' : 'Copy'}
          </Button>
        )}
      </CopyButton>
      <Button
        component="a"
        variant="default"
        px="xs"
        href={asFile(codes)}
        download="gatehouse-recovery-codes.txt"
        leftSection={<IconDownload size={18} aria-hidden />}
      >
        Download
      </Button>
    </Group>
    <Button onClick={done} fullWidth>
      I saved my recovery codes
    </Button>
  </Stack>
)
