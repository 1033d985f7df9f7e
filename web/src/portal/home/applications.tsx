import { SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { IconApps, IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useState } from 'react'
import type { ApplicationTile } from '../../../../server/portal/schema.ts'
import { Loaded, Page } from '../../ui/page.tsx'
import { tilesQuery } from '../api.ts'
import { Tile } from './tile.tsx'

const matching = (tiles: ApplicationTile[], words: string) =>
  tiles.filter(({ displayLabel, name }) =>
    words
      .toLowerCase()
      .split(/\s+/)
      .every((word) => `${displayLabel} ${name}`.toLowerCase().includes(word)),
  )

const Nothing = ({ text }: { text: string }) => (
  <Stack align="center" gap="xs" py={64}>
    <IconApps size={40} stroke={1.25} aria-hidden />
    <Text c="dimmed">{text}</Text>
  </Stack>
)

export function ApplicationsPage() {
  const [words, setWords] = useState('')
  const query = useQuery(tilesQuery)
  const found = matching(query.data ?? [], words.trim())
  const openFirst = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && found[0]) window.open(found[0].url, '_blank', 'noopener')
  }
  const search = (
    <TextInput
      type="search"
      aria-label="Search applications"
      placeholder="Search"
      size="sm"
      leftSection={<IconSearch size={16} aria-hidden />}
      value={words}
      onChange={(event) => setWords(event.currentTarget.value)}
      onKeyDown={openFirst}
      w={{ base: '100%', xs: 260 }}
    />
  )
  return (
    <Page title="Applications" aside={(query.data?.length ?? 0) > 0 && search}>
      <Loaded query={query}>
        {(tiles) =>
          found.length > 0 ? (
            <SimpleGrid cols={{ base: 2, xs: 3, sm: 4, md: 5 }} component="ul" p={0} m={0}>
              {found.map((tile) => (
                <Tile key={tile.id} tile={tile} />
              ))}
            </SimpleGrid>
          ) : (
            <Nothing
              text={
                tiles.length > 0
                  ? `No application matches “${words.trim()}”`
                  : 'No application is assigned to you yet'
              }
            />
          )
        }
      </Loaded>
      <Text role="status" size="sm" c="dimmed">
        {words.trim() !== '' && found.length > 0 && `${found.length} found`}
      </Text>
    </Page>
  )
}
