import { Radio, Select, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { dataOf } from '../../api/organization.ts'
import { FormActions } from '../../ui/form-actions.tsx'
import { Problem } from '../../ui/problem.tsx'
import { ShownOnce } from '../../ui/shown-once.tsx'
import { useChange } from '../changes.ts'
import { To } from '../link.tsx'
import { useOrganization } from '../organization.ts'
import { ScopeChoice } from '../roles/scope-choice.tsx'

const DAY_MS = 86_400_000

const LIFETIMES = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'A year' },
  { value: '', label: 'No end' },
]

interface Values {
  narrow: 'all' | 'read' | 'some'
  scopes: string[]
  days: string
}

function scopesOf({ narrow, scopes }: Values, held: string[]): string[] | undefined {
  if (narrow === 'all') return undefined
  return narrow === 'read' ? held.filter((scope) => scope.endsWith('.readonly')) : scopes
}

/** The key of the caller, with no more rights than it needs. */
export function CreateKey({ close, replaces }: { close: () => void; replaces: boolean }) {
  const { name, session } = useOrganization()
  const form = useForm<Values>({
    initialValues: { narrow: 'read', scopes: [], days: '90' },
    validate: {
      scopes: (scopes, { narrow }) =>
        narrow === 'some' && scopes.length === 0 ? 'Choose at least one' : null,
    },
  })
  const create = useChange({
    run: async (api, values: Values) => {
      const scopes = scopesOf(values, session.scopes)
      return dataOf(
        await api.management.POST('/users/{id}/apikey', {
          params: { path: { id: session.id } },
          body: {
            ...(scopes && { scopes }),
            ...(values.days !== '' && {
              expireAt: new Date(Date.now() + Number(values.days) * DAY_MS).toISOString(),
            }),
          },
        }),
      )
    },
    touches: [['api-keys'], ['administrators']],
    quiet: true,
  })
  if (create.data) return <ShownOnce what="The key" secret={create.data.apiKey} done={close} />
  return (
    <form onSubmit={form.onSubmit((values) => create.mutate(values))}>
      <Stack>
        {session.providerId !== null && (
          <Text size="sm">
            It reaches every organization that you reach. For {name} only, add a{' '}
            <To to="service-accounts" search={{ new: '1' }}>
              service account
            </To>{' '}
            with the role that it needs.
          </Text>
        )}
        <Radio.Group label="It may" {...form.getInputProps('narrow')}>
          <Stack gap="xs" mt={4}>
            <Radio value="read" label="Read everything that you may read" />
            <Radio value="some" label="Only what you choose" />
            <Radio value="all" label="Everything that you may do" />
          </Stack>
        </Radio.Group>
        {form.values.narrow === 'some' && (
          <ScopeChoice
            value={form.values.scopes}
            among={session.scopes}
            onChange={(scopes) => form.setFieldValue('scopes', scopes)}
          />
        )}
        <Select
          label="Ends after"
          w={200}
          allowDeselect={false}
          data={LIFETIMES}
          {...form.getInputProps('days')}
        />
        <Problem
          error={form.errors.scopes ? new Error(String(form.errors.scopes)) : create.error}
        />
        <FormActions close={close} saving={create.isPending}>
          {replaces ? 'Replace key' : 'Create key'}
        </FormActions>
      </Stack>
    </form>
  )
}
