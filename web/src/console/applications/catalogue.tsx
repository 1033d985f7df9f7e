import { Group, Skeleton, Stack, Text, TextInput, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { IconCheck, IconChevronLeft, IconSearch } from '@tabler/icons-react'
import { AppMark } from '../../ui/app-mark.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Tag } from '../../ui/tag.tsx'
import { To, useAddress, useGo } from '../link.tsx'
import { useOrganization } from '../organization.ts'
import { useRead } from '../reads.ts'
import page from '../resource/page.module.css'
import { useSearchField } from '../resource/use-search.ts'
import classes from './catalogue.module.css'
import { type CatalogueRow as Row, readCatalogue } from './template.ts'

/** Templates of no particular product. */
const ANY = ['saml2', 'oidc', 'bookmark']

const matches = (words: string) => (row: Row) => {
  const text = [row.displayName, row.description, ...(row.keywords ?? [])].join(' ').toLowerCase()
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

const Card = ({ row: { name = '', displayName = '', ...row } }: { row: Row }) => (
  <li className={classes.item}>
    <To to={`applications/catalogue/${name}`} className={classes.card}>
      <AppMark label={displayName} template={name} />
      <span className={classes.words}>
        <span className={classes.name}>{displayName}</span>
        <Text size="xs" c="dimmed" component="span" lineClamp={2}>
          {row.description}
        </Text>
        <Group gap={6} mt={6} component="span">
          {row.provision && <Tag tone="calm">Accounts by SCIM</Tag>}
          {row.isConfigured && (
            <Tag tone="good" Icon={IconCheck}>
              In use
            </Tag>
          )}
        </Group>
      </span>
    </To>
  </li>
)

const Cards = ({ title, rows }: { title: string; rows: Row[] }) =>
  rows.length > 0 && (
    <section>
      <Title order={2} size="h5" mb="xs">
        {title}
      </Title>
      <ul className={classes.grid} aria-label={title}>
        {rows.map((row) => (
          <Card key={row.name} row={row} />
        ))}
      </ul>
    </section>
  )

/** The first step to an application: which one. */
export function Catalogue() {
  const { name } = useOrganization()
  const { q = '' } = useAddress()
  const go = useGo()
  const show = (q: string) =>
    void go('applications/catalogue', { search: q === '' ? {} : { q }, replace: true })
  const [search, setSearch] = useSearchField(q, show)
  const { data, error } = useRead(['applications', 'catalogue'], readCatalogue)
  useDocumentTitle(`Add application · ${name} · Gatehouse`)
  const found = data?.filter(matches(search.trim()))
  return (
    <Stack gap="lg" maw={1100}>
      <div>
        <To to="applications" className={page.back}>
          <IconChevronLeft size={16} aria-hidden />
          Applications
        </To>
        <Group justify="space-between">
          <Title order={1}>Add application</Title>
          <TextInput
            size="sm"
            w={{ base: '100%', xs: 300 }}
            type="search"
            data-autofocus
            autoFocus
            aria-label="Search the catalogue"
            placeholder={data ? `Search ${data.length} applications` : 'Search'}
            leftSection={<IconSearch size={16} aria-hidden />}
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
            onKeyDown={(event) => {
              const first = found?.[0]
              if (event.key === 'Enter' && first) void go(`applications/catalogue/${first.name}`)
            }}
          />
        </Group>
      </div>
      <Problem error={error} />
      {!found && !error && (
        <div className={classes.grid}>
          {Array.from({ length: 9 }, (_, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
            <Skeleton key={at} h={92} />
          ))}
        </div>
      )}
      {found && (
        <>
          <Cards title="Any service" rows={found.filter((row) => ANY.includes(row.name ?? ''))} />
          <Cards title="Products" rows={found.filter((row) => !ANY.includes(row.name ?? ''))} />
          <Text role="status" size="sm" c="dimmed">
            {search.trim() !== '' &&
              (found.length === 0
                ? 'Nothing found. Any SAML or OpenID Connect service can be added by hand.'
                : `${found.length} found`)}
          </Text>
        </>
      )}
    </Stack>
  )
}
