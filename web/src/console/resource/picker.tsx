import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import type { Api } from '../../api/organization.ts'
import { useRead } from '../reads.ts'

interface Found {
  id: string
  name: string
  about: string
}

interface Props {
  label: string
  /** Of the cached answers. */
  kind: string
  find: (api: Api, text: string) => Promise<Found[]>
  pick: (found: Found) => void
  /** What is not among the found, if one may look for it. */
  description?: string
}

/** Finds an object by name and hands it over; empty again afterwards. */
export function Picker({ label, kind, find, pick, description }: Props) {
  const [text, setText] = useState('')
  const [settled] = useDebouncedValue(text, 150)
  const { data = [] } = useRead([kind, 'picker', settled], (api) => find(api, settled), {
    placeholderData: (previous) => previous,
  })
  return (
    <Select
      size="sm"
      maw={420}
      label={label}
      description={description}
      placeholder="Search by name"
      searchable
      value={null}
      searchValue={text}
      onSearchChange={setText}
      data={data.map(({ id, name, about }) => ({
        value: id,
        label: about ? `${name} · ${about}` : name,
      }))}
      // The server has searched already.
      filter={({ options }) => options}
      nothingFoundMessage="Nothing found"
      onChange={(id) => {
        const found = data.find((each) => each.id === id)
        setText('')
        if (found) pick(found)
      }}
    />
  )
}
