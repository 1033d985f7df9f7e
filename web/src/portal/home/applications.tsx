import { SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core'
import { IconApps, IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useState } from 'react'
import type { ApplicationTile } from '../../../../server/portal/schema.ts'
import { Loaded, Page } from '../../ui/page.tsx'
import { noteOpened, tilesQuery } from '../api.ts'
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

const MAX_RECENT = 5

/** Groups of tiles under headings; one group needs none. An application may be in several. */
function groupsOf(tiles: ApplicationTile[]): { title: string; tiles: ApplicationTile[] }[] {
  const favourites = tiles.filter(({ favourite }) => favourite)
  const recent = tiles
    .filter(({ openedAt, favourite }) => openedAt !== null && !favourite)
    .sort((a, b) => (a.openedAt! < b.openedAt! ? 1 : -1))
    .slice(0, MAX_RECENT)
  return [
    { title: 'Favourites', tiles: favourites },
    { title: 'Recently used', tiles: recent },
    { title: 'All applications', tiles },
  ].filter((group) => group.tiles.length > 0)
}

const Tiles = ({ tiles }: { tiles: ApplicationTile[] }) => (
  <SimpleGrid cols={{ base: 2, xs: 3, sm: 4, md: 5 }} component="ul" p={0} m={0}>
    {tiles.map((tile) => (
      <Tile key={tile.id} tile={tile} />
    ))}
  </SimpleGrid>
)

/** Few applications are in sight anyway, and a search looks for one. */
const MIN_GROUPED = 6

function Groups({ tiles }: { tiles: ApplicationTile[] }) {
  const groups = groupsOf(tiles)
  if (tiles.length < MIN_GROUPED || groups.length === 1) return <Tiles tiles={tiles} />
  return (
    <Stack gap="xl">
      {groups.map((group) => (
        <section key={group.title} aria-label={group.title}>
          <Title order={2} size="h4" mb="sm">
            {group.title}
          </Title>
          <Tiles tiles={group.tiles} />
        </section>
      ))}
    </Stack>
  )
}

export function ApplicationsPage() {
  const [words, setWords] = useState('')
  const query = useQuery(tilesQuery)
  const found = matching(query.data ?? [], words.trim())
  const openFirst = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !found[0]) return
    noteOpened(found[0].id)
    window.open(found[0].url, '_blank', 'noopener')
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
            words.trim() === '' ? (
              <Groups tiles={found} />
            ) : (
              <Tiles tiles={found} />
            )
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
