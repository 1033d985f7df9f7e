import { Button, Group, Stack, Text } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { type Api, pageOfV2 } from '../../api/organization.ts'
import { counted } from '../../ui/number.ts'
import { Problem } from '../../ui/problem.tsx'
import { Tag } from '../../ui/tag.tsx'
import { useChange } from '../changes.ts'
import { useMay } from '../organization.ts'
import { useRead } from '../reads.ts'
import { ObjectList } from '../resource/object-list.tsx'
import { Pager, usePage } from '../resource/pager.tsx'
import { type Group as GroupRecord, readGroup, replaceGroup } from './group.ts'
import { at, type Kind } from './kind.ts'

const SIZE = 100
/** The rule is evaluated by a job, so that suggestions may come at any moment. */
const REFRESH_MS = 5000

interface Suggested {
  id: string
  name: string
}

/** Accepting or rejecting what the rule suggests. Who is rejected is exempt from the rule from then on. */
export function SuggestionsTab({ kind, group }: { kind: Kind; group: GroupRecord }) {
  const writable = useMay().write('groups')
  const paging = usePage(SIZE)
  const { type, one, many, path } = kind.member
  const params = { path: { group_id: group.id } }
  const { data, error } = useRead(
    [kind.path, group.id, 'suggestions', paging.skip],
    async (api) =>
      pageOfV2(
        await api.management.GET(at(kind, '/{group_id}/suggestions'), {
          params: { ...params, query: paging },
        }),
      ),
    { every: () => REFRESH_MS },
  )
  const touches = [[kind.path], [path]]
  const apply = (api: Api, ids: string[]) =>
    api.management.POST(at(kind, '/{group_id}/suggestions'), {
      params,
      // Groups of devices have another name for the ids.
      body: (type === 'user' ? { user_ids: ids } : { object_ids: ids }) as { user_ids: string[] },
    })
  const accept = useChange({
    run: (api, ids: string[]) => apply(api, ids),
    touches,
    done: (ids) => `Accepted ${counted(ids.length, 'suggestion')}`,
  })
  /** On the record as it is now: another may have been rejected since the page was read. */
  const exempt = async (api: Api, change: (ids: string[]) => string[]) => {
    const now = await readGroup(kind, group.id)(api)
    const ids = now.memberQueryExemptions.map(({ id }) => id)
    return replaceGroup(api, kind, now, { exempt: change(ids) })
  }
  const reject = useChange({
    run: (api, { id }: Suggested) => exempt(api, (ids) => [...ids, id]),
    touches,
    done: ({ name }) => `Exempted ${name} from the rule`,
    undo: (api, { id }) => exempt(api, (ids) => ids.filter((each) => each !== id)),
  })
  // The job that takes them off the list comes later.
  const exempted = new Set(group.memberQueryExemptions.map(({ id }) => id))
  const items = data?.rows
    .map(({ op, object }) => ({ ...object, op }))
    .filter(({ id }) => !exempted.has(id))
  const pending = accept.isPending || reject.isPending
  return (
    <Stack maw={720}>
      <Group justify="space-between" align="flex-start" wrap="nowrap">
        <Text size="sm" c="dimmed">
          What the rule would change. Rejecting one exempts that {one} from the rule.
        </Text>
        {writable && items && items.length > 1 && (
          <Button
            size="sm"
            flex="none"
            disabled={pending}
            onClick={() => accept.mutate(items.map(({ id }) => id))}
          >
            Accept {items.length === data?.total ? 'all' : 'these'} {items.length}
          </Button>
        )}
      </Group>
      <Problem error={error} />
      <ObjectList
        items={items}
        type={type}
        empty={`No suggestions: members are the ${many} that match the rule.`}
        aside={(item, name) => (
          <>
            <Tag tone={item.op === 'add' ? 'good' : 'warn'}>
              {item.op === 'add' ? 'Joins' : 'Leaves'}
            </Tag>
            {writable && (
              <>
                <Button
                  size="compact-sm"
                  variant="default"
                  leftSection={<IconCheck size={14} aria-hidden />}
                  aria-label={`Accept ${name}`}
                  disabled={pending}
                  onClick={() => accept.mutate([item.id])}
                >
                  Accept
                </Button>
                <Button
                  size="compact-sm"
                  variant="subtle"
                  color="gray"
                  aria-label={`Reject ${name}`}
                  disabled={pending}
                  onClick={() => reject.mutate({ id: item.id, name })}
                >
                  Reject
                </Button>
              </>
            )}
          </>
        )}
      />
      {data && <Pager to={`${kind.path}/${group.id}/suggestions`} size={SIZE} total={data.total} />}
    </Stack>
  )
}
