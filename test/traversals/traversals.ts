import { writeFileSync } from 'node:fs'
import { chainsTo } from '../../server/graph/actions.ts'
import type { NodeType } from '../../server/graph/index.ts'
import { reachableResource, traversalSql } from '../../server/graph/traverse-store.ts'
import { inlined } from '../../server/platform/db/sql.ts'
import { DEFAULT_LIMITS } from '../../server/platform/limits.ts'
import { readListV2 } from '../../server/platform/list/query.ts'
import { formatSql } from './format.ts'

// The statements behind typical traversals, for reviewers. After a change:
// node_modules/.bin/node test/traversals/traversals.ts

interface Typical {
  file: string
  question: string
  start: NodeType
  end: NodeType
  filter?: string
}

const TYPICAL: Typical[] = [
  {
    file: 'application-users',
    question: 'Which users can sign in to an application, directly or through groups?',
    start: 'application',
    end: 'user',
  },
  {
    file: 'user-applications',
    question: 'Which applications can a user sign in to, directly or through groups?',
    start: 'user',
    end: 'application',
  },
  {
    file: 'user-systems',
    question:
      'Which systems is a user bound to, directly, through user groups and through system groups?',
    start: 'user',
    end: 'system',
  },
  {
    file: 'command-systems-filtered',
    question: 'Is one system among those that a command runs on (filter=object_id:$eq:…)?',
    start: 'command',
    end: 'system',
    filter: 'object_id:$eq::id',
  },
  {
    file: 'user-group-members',
    question: 'Who is a member of a user group?',
    start: 'user_group',
    end: 'user',
  },
]

function statementOf({ start, end, filter }: Typical): string {
  const direct = chainsTo(start, [end])
  const list = readListV2(
    reachableResource,
    filter === undefined ? {} : { filter },
    DEFAULT_LIMITS.list,
  )
  const statement = traversalSql(':organization', {
    start: { type: start, id: ':start' },
    chains: direct.length > 0 ? direct : [[start, end]],
    list: { ...list, limit: ':limit' as never, skip: ':skip' as never },
    plain: filter === undefined,
  })
  return inlined(statement).replace(/'(:[a-z]+)'/g, '$1')
}

/** Text by the name of its file. */
export const traversalTexts = (): Map<string, string> =>
  new Map(
    TYPICAL.map((one) => [
      `test/traversals/${one.file}.sql`,
      `-- ${one.question}\n${formatSql(statementOf(one))}`,
    ]),
  )

if (import.meta.main) for (const [file, text] of traversalTexts()) writeFileSync(file, text)
