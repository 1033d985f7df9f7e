import { Combobox, type ComboboxStore, Skeleton, UnstyledButton, useCombobox } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconSelector } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { pageOfV1 } from '../../api/organization.ts'
import { Logo } from '../../ui/logo.tsx'
import { usePlainNavigate } from '../link.tsx'
import { useOrganization } from '../organization.ts'
import { useRead } from '../reads.ts'
import classes from './frame.module.css'

function Choices({ search, combobox }: { search: string; combobox: ComboboxStore }) {
  const { data, isPlaceholderData } = useRead(
    ['organizations', search],
    async (api) =>
      pageOfV1(
        await api.management.GET('/organizations', {
          params: { query: { limit: 20, sort: 'name', ...(search && { search }) } },
        }),
      ),
    { placeholderData: (previous) => previous },
  )
  // Enter goes to the first match, never to one of an earlier search.
  const found = search && !isPlaceholderData ? data : undefined
  const { selectFirstOption } = combobox
  useEffect(() => {
    if (found) selectFirstOption()
  }, [found, selectFirstOption])
  if (!data) return <Skeleton h={28} m="xs" />
  if (data.rows.length === 0) return <Combobox.Empty>No organization matches</Combobox.Empty>
  return data.rows.map(({ id, displayName }) => (
    <Combobox.Option key={id} value={id}>
      {displayName}
    </Combobox.Option>
  ))
}

export function OrganizationSwitcher() {
  const { name, session } = useOrganization()
  const navigate = usePlainNavigate()
  const [search, setSearch] = useState('')
  const [settled] = useDebouncedValue(search, 150)
  const combobox = useCombobox({
    onDropdownOpen: () => combobox.focusSearchInput(),
    onDropdownClose: () => setSearch(''),
  })
  const label = (
    <>
      <Logo size={26} />
      <span className={classes.name}>{name}</span>
    </>
  )
  if (session.organizationIds.length < 2) return <div className={classes.switcher}>{label}</div>
  return (
    <Combobox
      store={combobox}
      width={280}
      position="bottom-start"
      withinPortal={false}
      onOptionSubmit={(id) => void navigate({ to: `/${id}` })}
    >
      <Combobox.Target targetType="button">
        <UnstyledButton
          className={classes.switcher}
          aria-label={`Organization ${name}: switch`}
          onClick={() => combobox.toggleDropdown()}
        >
          {label}
          <IconSelector size={16} aria-hidden />
        </UnstyledButton>
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Search
          aria-label="Search organizations"
          placeholder="Search organizations"
          value={search}
          onChange={(event) => {
            combobox.resetSelectedOption()
            setSearch(event.currentTarget.value)
          }}
        />
        <Combobox.Options mah={320} style={{ overflowY: 'auto' }} aria-label="Organizations">
          {combobox.dropdownOpened && <Choices search={settled} combobox={combobox} />}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  )
}
