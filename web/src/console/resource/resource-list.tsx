import { Button, Group, Modal, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { number } from '../../ui/number.ts'
import { Problem } from '../../ui/problem.tsx'
import { useGo } from '../link.tsx'
import { useMay, useOrganization } from '../organization.ts'
import { usePageActions } from '../page-actions.ts'
import { BulkBar } from './bulk-bar.tsx'
import { EmptyList } from './empty-list.tsx'
import type { ListDeclaration } from './list-declaration.ts'
import { useListState } from './list-state.ts'
import { Rows } from './rows.tsx'
import { SelectAll } from './select-all.tsx'
import { SiblingTabs } from './sibling-tabs.tsx'
import { Toolbar } from './toolbar.tsx'
import { useRows } from './use-rows.ts'
import { useSearchField } from './use-search.ts'

/** A list page, from its declaration. */
export function ResourceList<T>({ list }: { list: ListDeclaration<T> }) {
  const state = useListState(list)
  const { name } = useOrganization()
  const may = useMay()
  const go = useGo()
  const [search, setSearch] = useSearchField(state.search, (q) => state.set({ q }))
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const rows = useRows(list, state)
  useDocumentTitle(`${list.title} · ${name} · Gatehouse`)
  const { data, error } = rows.first
  const narrowed = state.search !== '' || state.filters.length > 0
  const close = () => state.set({ new: undefined })
  const creates = list.create && may.write(list.scope) ? list.create : undefined
  const create = () => (creates && 'to' in creates ? void go(creates.to) : state.set({ new: '1' }))
  usePageActions(creates ? [{ label: creates.label, Icon: IconPlus, run: create }] : [])
  return (
    <>
      <Group justify="space-between" mb="md">
        <Group gap="sm" align="baseline">
          <Title order={1}>{list.title}</Title>
          <Text c="dimmed" aria-live="polite" component="span">
            {data && number.format(data.total)}
            <span hidden={!data}> {data?.total === 1 ? list.one : list.many}</span>
          </Text>
        </Group>
        <Group gap="xs" wrap="nowrap">
          {list.aside?.()}
          {creates && (
            <Button size="sm" leftSection={<IconPlus size={16} aria-hidden />} onClick={create}>
              {creates.label}
            </Button>
          )}
        </Group>
      </Group>
      {list.siblings && <SiblingTabs siblings={list.siblings} />}
      <Toolbar list={list} state={state} search={search} setSearch={setSearch} />
      <Problem error={error} />
      {data?.total === 0 ? (
        <EmptyList
          list={list}
          narrowed={narrowed}
          clear={() => state.show({})}
          create={creates && create}
        />
      ) : (
        <Rows list={list} state={state} rows={rows} selected={selected} select={setSelected} />
      )}
      <BulkBar list={list} selected={selected} clear={() => setSelected(new Set())}>
        <SelectAll list={list} rows={rows} selected={selected} select={setSelected} />
      </BulkBar>
      {creates && 'form' in creates && (
        <Modal opened={state.creating} onClose={close} title={creates.label} size="lg">
          {creates.form(close)}
        </Modal>
      )}
    </>
  )
}
