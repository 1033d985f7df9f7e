import { CloseButton, Group, Pill, TextInput } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { type CSSProperties, useRef } from 'react'
import { ColumnsMenu } from './columns-menu.tsx'
import { FilterButton } from './filter-button.tsx'
import classes from './list.module.css'
import type { AnyList } from './list-declaration.ts'
import type { ListState } from './list-state.ts'
import { ViewsMenu } from './views-menu.tsx'

interface Props {
  list: AnyList
  state: ListState
  search: string
  setSearch: (text: string) => void
}

export function Toolbar({ list, state, search, setSearch }: Props) {
  const field = useRef<HTMLInputElement>(null)
  useHotkeys([['/', () => field.current?.focus()]])
  return (
    <Group gap="xs" mb="sm">
      <TextInput
        ref={field}
        size="sm"
        className={classes.search!}
        aria-label={`Search ${list.many}`}
        placeholder={`Search ${list.many}`}
        leftSection={<IconSearch size={16} aria-hidden />}
        rightSection={
          search !== '' && (
            <CloseButton size="sm" aria-label="Clear the search" onClick={() => setSearch('')} />
          )
        }
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Escape' && field.current?.blur()}
      />
      <ViewsMenu list={list} state={state} />
      {state.filters.map(({ filter, value }) => (
        <Pill
          key={filter.id}
          size="md"
          className={classes.pill!}
          style={{ '--pill-height': '2.25rem' } as CSSProperties}
          withRemoveButton
          onRemove={() => state.set({ [filter.id]: undefined })}
          removeButtonProps={{
            'aria-label': `Remove the filter ${filter.label}`,
            tabIndex: 0,
            'aria-hidden': false,
          }}
        >
          {filter.label}: {filter.options?.find((option) => option.value === value)?.label ?? value}
        </Pill>
      ))}
      <FilterButton list={list} state={state} />
      <ColumnsMenu list={list} state={state} />
    </Group>
  )
}
