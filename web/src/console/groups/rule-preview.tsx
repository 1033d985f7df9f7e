import { Group, Skeleton, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { dataOf } from '../../api/organization.ts'
import { counted, number } from '../../ui/number.ts'
import { Problem } from '../../ui/problem.tsx'
import { Section } from '../../ui/section.tsx'
import { useRead } from '../reads.ts'
import { ObjectList } from '../resource/object-list.tsx'
import type { Group as GroupRecord } from './group.ts'
import { at, type Kind } from './kind.ts'
import { headersFor, type MemberQuery } from './rule.ts'

const DEBOUNCE_MS = 250
const SHOWN = 8

interface Props {
  kind: Kind
  group: GroupRecord
  query: MemberQuery | null
  exempt: string[]
}

/** Who matches the rule as it is written, and what it would change. */
export function RulePreview({ kind, group, query, exempt }: Props) {
  const { one, many, type } = kind.member
  // Behind the rule by a moment: it may still be none.
  const [asked] = useDebouncedValue(query && JSON.stringify({ query, exempt }), DEBOUNCE_MS)
  const { data, error, isPlaceholderData } = useRead(
    [kind.path, group.id, 'preview', asked],
    async (api) => {
      const { query, exempt } = JSON.parse(asked!) as Pick<Props, 'query' | 'exempt'>
      return dataOf(
        await api.management.POST(at(kind, '/{group_id}/preview'), {
          params: { path: { group_id: group.id }, ...headersFor(query) },
          body: { memberQuery: query, memberQueryExemptions: exempt.map((id) => ({ id, type })) },
        }),
      )
    },
    { enabled: query !== null && asked !== null, placeholderData: (previous) => previous },
  )
  return (
    <Section title="Preview">
      {query === null ? (
        <Text size="sm" c="dimmed">
          Add a condition to see who matches.
        </Text>
      ) : error ? (
        <Problem error={error} />
      ) : !data ? (
        <Skeleton h={120} />
      ) : (
        <Stack gap="sm" aria-busy={isPlaceholderData} opacity={isPlaceholderData ? 0.6 : 1}>
          <div aria-live="polite">
            <Text fw={650}>
              {counted(data.matching.total, one, many)}{' '}
              {data.matching.total === 1 ? 'matches' : 'match'}
            </Text>
            <Group gap="md" fz="sm" c="dimmed">
              <span>{number.format(data.add.total)} would join</span>
              <span>{number.format(data.remove.total)} would leave</span>
            </Group>
          </div>
          <ObjectList
            items={data.matching.objects.slice(0, SHOWN)}
            type={type}
            empty="Nobody yet: those who match later become members then."
          />
          {data.matching.total > SHOWN && (
            <Text size="sm" c="dimmed">
              and {number.format(data.matching.total - SHOWN)} more
            </Text>
          )}
          {data.remove.total > 0 && (
            <div>
              <Text size="sm" fw={600} mb={4}>
                Would leave
              </Text>
              <ObjectList items={data.remove.objects.slice(0, SHOWN)} type={type} empty="" />
            </div>
          )}
        </Stack>
      )}
    </Section>
  )
}
