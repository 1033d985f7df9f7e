import { Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { dataOf } from '../../api/organization.ts'
import { Confirm, type Question } from '../../ui/confirm.tsx'
import { Problem } from '../../ui/problem.tsx'
import { SaveBar } from '../../ui/save-bar.tsx'
import { Section } from '../../ui/section.tsx'
import { Tag } from '../../ui/tag.tsx'
import { useChange } from '../changes.ts'
import { useGo, usePath } from '../link.tsx'
import { useMay } from '../organization.ts'
import { useRead } from '../reads.ts'
import { HistoryTab } from '../resource/history-tab.tsx'
import { ResourcePage } from '../resource/resource-page.tsx'
import { isBuiltIn, type Role } from './role.ts'
import { ScopeChoice } from './scope-choice.tsx'

const LIST = { path: 'roles', title: 'Roles' }

function ScopesTab({ role }: { role: Role }) {
  const writable = useMay().write('administrators') && !isBuiltIn(role)
  const { name, description, scopes } = role
  const form = useForm({ initialValues: { name, description, scopes } })
  const save = useChange({
    run: (api, values: typeof form.values) =>
      api.management.PUT('/v2/roles/{role_id}', {
        params: { path: { role_id: role.id } },
        body: values,
      }),
    touches: [['roles'], ['administrators']],
    done: () => 'Saved the role',
    after: (_, values) => {
      form.resetDirty(values)
    },
    quiet: true,
  })
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))}>
      <Stack maw={860}>
        <Section title="About">
          <Stack gap="sm">
            <TextInput
              size="sm"
              label="Name"
              readOnly={!writable}
              {...form.getInputProps('name')}
            />
            <TextInput
              size="sm"
              label="Description"
              readOnly={!writable}
              {...form.getInputProps('description')}
            />
          </Stack>
        </Section>
        <Section title="May do">
          <ScopeChoice
            value={form.values.scopes}
            readOnly={!writable}
            onChange={(chosen) => form.setFieldValue('scopes', chosen)}
          />
        </Section>
        <Problem error={save.error} />
        {writable && (
          <SaveBar
            label="Save role"
            dirty={form.isDirty()}
            saving={save.isPending}
            discard={form.reset}
          />
        )}
      </Stack>
    </form>
  )
}

function RolePage({ role }: { role: Role }) {
  const may = useMay()
  const go = useGo()
  const [question, ask] = useState<Question | null>(null)
  const remove = useChange({
    run: (api) =>
      api.management.DELETE('/v2/roles/{role_id}', { params: { path: { role_id: role.id } } }),
    touches: [['roles']],
    done: () => `Deleted ${role.name}`,
    after: () => void go('roles'),
  })
  const builtIn = isBuiltIn(role)
  return (
    <>
      <ResourcePage
        list={LIST}
        name={role.name}
        error={null}
        state={<Tag tone="calm">{builtIn ? 'Built in' : 'Custom'}</Tag>}
        copy={[{ label: 'id', value: role.id }]}
        menu={
          may.write('administrators') && !builtIn
            ? [
                {
                  label: 'Delete role',
                  Icon: IconTrash,
                  danger: true,
                  run: () =>
                    ask({
                      title: `Delete ${role.name}?`,
                      text: 'A role that somebody holds cannot be deleted. This cannot be undone.',
                      action: 'Delete role',
                      run: () => remove.mutate(),
                    }),
                },
              ]
            : []
        }
        tabs={[
          {
            id: 'scopes',
            label: 'Scopes',
            edits: true,
            content: () => <ScopesTab key={role.id} role={role} />,
          },
          {
            id: 'history',
            label: 'History',
            content: () => <HistoryTab area="roles" id={role.id} />,
          },
        ]}
      />
      <Confirm question={question} close={() => ask(null)} />
    </>
  )
}

export function Detail() {
  const { id = '' } = usePath()
  const { data, error } = useRead(['roles', id, 'record'], async (api) =>
    dataOf(await api.management.GET('/v2/roles/{role_id}', { params: { path: { role_id: id } } })),
  )
  if (data) return <RolePage role={data} />
  return <ResourcePage list={LIST} name={undefined} error={error} tabs={[]} />
}
