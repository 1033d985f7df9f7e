import { Button, Checkbox, Menu, Modal, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { IconBookmark, IconChevronDown, IconTrash, IconUsers } from '@tabler/icons-react'
import { useState } from 'react'
import { dataOf } from '../../api/organization.ts'
import { FormActions } from '../../ui/form-actions.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useChange } from '../changes.ts'
import { useAddress, useGo } from '../link.tsx'
import { useMay, useOrganization } from '../organization.ts'
import { usePageActions } from '../page-actions.ts'
import { useRead } from '../reads.ts'
import type { ExplorerState } from './explorer-state.ts'
import { addressOf, OFFERED, queryOf, type SavedSearch } from './searches.ts'

const MAX_SHOWN = 100
const key = ['insights', 'saved']

interface Values {
  name: string
  shared: boolean
}

interface FormProps {
  state: ExplorerState
  /** The saved search to replace; undefined for a new one. */
  replaced: SavedSearch | undefined
  close: () => void
}

/** Saves the search that is shown. */
function SaveForm({ state, replaced, close }: FormProps) {
  const go = useGo()
  const address = useAddress()
  const { name = '', shared = false, description = '' } = replaced ?? {}
  const form = useForm<Values>({ initialValues: { name, shared } })
  const save = useChange({
    run: async (api, values: Values) => {
      const body = { ...values, description, query: queryOf(state), columns: state.columns }
      return dataOf(
        replaced
          ? await api.insights.PUT('/v1/saved-searches/{saved_search_id}', {
              params: { path: { saved_search_id: replaced.id } },
              body,
            })
          : await api.insights.POST('/v1/saved-searches', { body }),
      )
    },
    touches: [key],
    done: ({ name }) => `Saved ${name}`,
    after: ({ id }) => {
      close()
      void go('insights', { search: { ...address, saved: id }, replace: true })
    },
    quiet: true,
  })
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))}>
      <Stack>
        <TextInput
          size="sm"
          label="Name"
          required
          withAsterisk={false}
          data-autofocus
          {...form.getInputProps('name')}
        />
        <Checkbox
          label="Share with all administrators of the organization"
          {...form.getInputProps('shared', { type: 'checkbox' })}
        />
        <Problem error={save.error} />
        <FormActions close={close} saving={save.isPending}>
          Save search
        </FormActions>
      </Stack>
    </form>
  )
}

/** Searches that everyone is offered, one's own, and those that others share. */
export function SearchesMenu({ state }: { state: ExplorerState }) {
  const go = useGo()
  const writable = useMay().write('insights')
  const { session } = useOrganization()
  const { saved } = useAddress()
  const [naming, setNaming] = useState<'new' | 'change' | null>(null)
  const open = () => setNaming('new')
  const close = () => setNaming(null)
  // Only once the menu is opened or a saved search is shown.
  const [wanted, menu] = useDisclosure()
  const { data } = useRead(
    key,
    async (api) =>
      dataOf(
        await api.insights.GET('/v1/saved-searches', {
          params: { query: { limit: MAX_SHOWN, sort: ['name'] } },
        }),
      ).results,
    { enabled: wanted || saved !== undefined },
  )
  const remove = useChange({
    run: (api, { id }: SavedSearch) =>
      api.insights.DELETE('/v1/saved-searches/{saved_search_id}', {
        params: { path: { saved_search_id: id } },
      }),
    touches: [key],
    done: ({ name }) => `Deleted ${name}`,
    undo: (api, { name, description, shared, query, columns }) =>
      api.insights.POST('/v1/saved-searches', {
        body: { name, description, shared, query, columns },
      }),
    after: () => state.set({ saved: undefined }, true),
  })
  const current = data?.find(({ id }) => id === saved)
  const savable = writable && state.error === null
  usePageActions(savable ? [{ label: 'Save this search', Icon: IconBookmark, run: open }] : [])
  return (
    <>
      <Menu position="bottom-start" onOpen={menu.open}>
        <Menu.Target>
          <Button
            variant="default"
            size="sm"
            leftSection={<IconBookmark size={16} aria-hidden />}
            rightSection={<IconChevronDown size={14} aria-hidden />}
          >
            {current?.name ?? 'Searches'}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>Start with</Menu.Label>
          {OFFERED.map(({ label, search }) => (
            <Menu.Item key={label} onClick={() => void go('insights', { search })}>
              {label}
            </Menu.Item>
          ))}
          {data && data.length > 0 && <Menu.Label>Saved</Menu.Label>}
          {data?.map((search) => (
            <Menu.Item
              key={search.id}
              {...(search.shared && {
                rightSection: <IconUsers size={14} aria-label="Shared" role="img" />,
              })}
              onClick={() =>
                void go('insights', { search: { ...addressOf(search), saved: search.id } })
              }
            >
              {search.name}
            </Menu.Item>
          ))}
          {writable && (
            <>
              <Menu.Divider />
              <Menu.Item onClick={open} disabled={!savable}>
                Save this search…
              </Menu.Item>
              {current && current.owner === session.id && (
                <>
                  <Menu.Item disabled={!savable} onClick={() => setNaming('change')}>
                    Change {current.name}…
                  </Menu.Item>
                  <Menu.Item
                    leftSection={<IconTrash size={16} aria-hidden />}
                    onClick={() => remove.mutate(current)}
                  >
                    Delete {current.name}
                  </Menu.Item>
                </>
              )}
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      <Modal
        opened={naming !== null}
        onClose={close}
        title={naming === 'change' ? 'Change this search' : 'Save this search'}
        size="sm"
      >
        <SaveForm
          state={state}
          replaced={naming === 'change' ? current : undefined}
          close={close}
        />
      </Modal>
    </>
  )
}
