import { ActionIcon, Button, Group, Paper, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconTrash } from '@tabler/icons-react'
import { type Api, dataOf } from '../../api/organization.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { Problem } from '../../ui/problem.tsx'
import { When } from '../../ui/when.tsx'
import { useChange } from '../changes.ts'
import { useMay } from '../organization.ts'
import { useRead } from '../reads.ts'
import type { User } from './user.ts'

interface Key {
  name: string
  public_key: string
}

/** Keys with which the user signs in to devices. */
export function SshKeysTab({ user }: { user: User }) {
  const writable = useMay().write('users')
  const key = ['users', user.id, 'ssh keys']
  const params = { path: { id: user.id } }
  const { data, error } = useRead(key, async (api) =>
    dataOf(await api.management.GET('/systemusers/{id}/sshkeys', { params })),
  )
  const form = useForm<Key>({ initialValues: { name: '', public_key: '' } })
  const store = (api: Api, { name, public_key }: Key) =>
    api.management.POST('/systemusers/{id}/sshkeys', { params, body: { name, public_key } })
  const add = useChange({
    run: store,
    touches: [key],
    done: ({ name }: Key) => `Added ${name}`,
    after: form.reset,
    quiet: true,
  })
  const remove = useChange({
    run: (api, { id }: Key & { id: string }) =>
      api.management.DELETE('/systemusers/{systemuser_id}/sshkeys/{id}', {
        params: { path: { systemuser_id: user.id, id } },
      }),
    touches: [key],
    done: ({ name }) => `Deleted ${name}`,
    undo: store,
  })
  return (
    <Stack maw={720}>
      <Problem error={error} />
      {data?.length === 0 && (
        <Text size="sm" c="dimmed">
          No key. With one, the user signs in to devices by SSH.
        </Text>
      )}
      {data?.map((each) => (
        <Paper key={each.id} withBorder p="md" bg="var(--gh-surface)">
          <Group justify="space-between" wrap="nowrap">
            <Stack gap={2} miw={0}>
              <Text size="sm" fw={600}>
                {each.name}
              </Text>
              <Copyable label="public key" value={each.public_key} />
              <Text size="sm" c="dimmed" component="div">
                Added <When time={each.create_date} />
              </Text>
            </Stack>
            {writable && (
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={`Delete ${each.name}`}
                onClick={() => remove.mutate(each)}
              >
                <IconTrash size={16} aria-hidden />
              </ActionIcon>
            )}
          </Group>
        </Paper>
      ))}
      {writable && (
        <form onSubmit={form.onSubmit((values) => add.mutate(values))}>
          <Stack gap="sm">
            <TextInput size="sm" label="Name" required {...form.getInputProps('name')} />
            <Textarea
              size="sm"
              label="Public key"
              required
              autosize
              minRows={2}
              placeholder="ssh-ed25519 …"
              {...form.getInputProps('public_key')}
            />
            <Problem error={add.error} />
            <div>
              <Button size="sm" type="submit" variant="default" loading={add.isPending}>
                Add key
              </Button>
            </div>
          </Stack>
        </form>
      )}
    </Stack>
  )
}
