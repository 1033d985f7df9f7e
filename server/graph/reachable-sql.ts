import { empty, identifier, join, literal, type Sql, sql } from '../platform/db/sql.ts'
import { hopsOf, waysFrom } from './chain-sql.ts'
import type { Chain } from './chains.ts'
import { countsSql, livingSql, membersSql } from './counts-sql.ts'
import { memberTypeOf, type NodeRef, type NodeType } from './pairs.ts'

/** How many of the smallest ids are needed; null for all. */
type Bound = number | null

const union = (parts: Sql[]): Sql =>
  join(
    parts.map((part, at) => (at === 0 ? part : sql`union all ${part}`)),
    ' ',
  )
const smallest = (bound: Bound, left: Sql): Sql =>
  bound === null ? empty : sql`order by 1 offset ${left} limit ${bound}::bigint - ${left}`

function endsOf(
  organizationId: string,
  start: NodeRef,
  chain: Chain,
  bound: Bound = null,
  left: Sql = sql`0`,
): Sql {
  const hops = hopsOf(organizationId, chain)
  // A single edge leads to each end once; bounded lists must not be filled with repetitions.
  const distinct = bound !== null && chain.length > 2 ? sql`distinct` : empty
  return sql`select ${distinct} ${hops.at(-1)!.far}::text as id
    from ${waysFrom(hops, sql`${start.id}::text`)} ${smallest(bound, left)}`
}

/** Memberships of a group that ends a chain. */
function membershipsIn(organizationId: string, chain: Chain, groupId = sql`g.id`): Sql {
  const [group, member] = chain.slice(-2) as [NodeType, NodeType]
  return sql`edges e where e.organization_id = ${organizationId} and e.from_type = ${literal(group)}
    and e.from_id = ${groupId} and e.to_type = ${literal(member)} and e.valid_until is null`
}

/** True for chains that end by opening a group. */
const opens = (chain: Chain): boolean =>
  chain.length > 2 && memberTypeOf(chain.at(-2)!) === chain.at(-1)

/** The table of the ids of the groups of a type that the chains open, each once, however many ways lead there. */
const openedOf = (chain: Chain): Sql => identifier(`opened_${chain.at(-2)!}`)
/** What is counted of them (`countsSql`). */
const countsOf = (chain: Chain): Sql => identifier(`counts_${chain.at(-2)!}`)
/**
 * Those that have had members, with what helps to find them. One that is `whole` is large and has everybody who could be
 * a member; `large` are the other ones of that size.
 */
const sizedOf = (chain: Chain): Sql => identifier(`sized_${chain.at(-2)!}`)
const byGroupType = (chains: readonly Chain[]): Chain[][] => [
  ...Map.groupBy(chains.filter(opens), (chain) => chain.at(-2)!).values(),
]

/** Groups beyond this are worth a pass of their own, and a question whether they have everybody. */
const LARGE = 4000

/** Those tables, for the WITH of a statement that has any of what follows; a comma stands after each. */
export const openedSql = (organizationId: string, start: NodeRef, chains: readonly Chain[]): Sql =>
  join(
    byGroupType(chains).map((chains) => {
      const [group, member] = chains[0]!.slice(-2) as [NodeType, NodeType]
      const ways = chains.map((chain) =>
        endsOf(organizationId, start, chain.slice(0, -1) as unknown as Chain),
      )
      return sql`
        ${openedOf(chains[0]!)} as materialized (select distinct id from (${union(ways)}) ways),
        ${countsOf(chains[0]!)} as materialized (${countsSql(organizationId, group, openedOf(chains[0]!))}),
        ${sizedOf(chains[0]!)} as materialized (
          select id, size, whole, size > ${LARGE} and not whole as large
            from (select id, size, size > ${LARGE} and size = ${livingSql(organizationId, member)} as whole
                    from (select id, sum(change)::bigint as size from ${countsOf(chains[0]!)} group by id) c offset 0) g),`
    }),
    ' ',
  )

/** That a group is among those that the chain opens, looked up in a hash: as a join it would be read again and again. */
export const isOpened = (chain: Chain, groupId: Sql): Sql =>
  opens(chain) ? sql`(${groupId}::text in (select id from ${openedOf(chain)})) is true` : sql`true`

/** The chain of which all others can only reach the same, if it opens a whole group: there is one kind of ends and of groups. */
function settling(chains: readonly Chain[]): Chain | undefined {
  const opened = byGroupType(chains)
  const ends = new Set(chains.map((chain) => chain.at(-1)))
  return opened.length === 1 && ends.size === 1 ? opened[0]![0] : undefined
}

const isWhole = (chain: Chain): Sql => sql`exists (select from ${sizedOf(chain)} where whole)`

/** A single step from the start: its ends stand in an index in their order, each once. */
const isStep = (chains: readonly Chain[]): boolean => chains.length === 1 && chains[0]!.length === 2

/** How many of the smallest ids `reachableSql` leaves out: what is read alone and in its order is read from there on. */
export function leftOut(chains: readonly Chain[], skip: number): Sql {
  if (isStep(chains)) return sql`${skip}::bigint`
  const chain = settling(chains)
  return chain ? sql`case when ${isWhole(chain)} then ${skip}::bigint else 0 end` : sql`0`
}

/** Takes of the ids that a statement selects those that are wanted. */
type Keep = (ids: Sql) => Sql

/**
 * The members of all these groups. With a bound, those that can be among so many of the smallest: beside a whole group
 * no other is read, and beside a large one, which alone has as many, none behind its last one.
 */
function membersOfOpened(
  organizationId: string,
  chain: Chain,
  bound: Bound,
  left: Sql,
  keep: Keep,
): Sql {
  if (bound === null)
    return sql`select m.id from ${openedOf(chain)} g,
      lateral (${keep(sql`select e.to_id::text as id from ${membershipsIn(organizationId, chain)}`)} offset 0) m`
  const sized = sizedOf(chain)
  const large = sql`(select id from ${sized} where large limit 1)`
  const last = sql`(select e.to_id from ${membershipsIn(organizationId, chain, large)}
    order by e.to_id offset ${bound}::bigint - 1 limit 1)`
  return sql`select m.id from ${sized} g,
    lateral (select e.to_id::text as id from ${membershipsIn(organizationId, chain)}
       and e.to_id <= coalesce(${last}::text, 'g') order by e.to_id offset ${left} limit ${bound}::bigint - ${left}) m
     where g.whole or not ${isWhole(chain)}`
}

/**
 * Selects `type` and `id` of everything that the chains reach from the start, each once. For a page: at least as many of
 * the smallest ids as end with it, if there are as many, without those that are left out (`leftOut`); members stand in
 * the order of their ids in the index, so of a large group only these are read. With `where`, a condition on a row `r`:
 * those for which it is true, looked for in each group, where an id is quickly found.
 */
export function reachableSql(
  organizationId: string,
  start: NodeRef,
  chains: readonly Chain[],
  { page, where }: { page?: { skip: number; limit: number }; where?: Sql } = {},
): Sql {
  if (chains.length === 0) return sql`select null::text as type, null::text as id where false`
  const bound = page ? page.skip + page.limit : null
  const left = page ? leftOut(chains, page.skip) : sql`0`
  const settled = page && settling(chains)
  const unlessWhole = settled ? sql`where not ${isWhole(settled)}` : empty
  const byType = Map.groupBy(chains, (chain) => chain.at(-1)!)
  return union(
    [...byType].map(([type, chains]) => {
      const closed = chains.filter((chain) => !opens(chain))
      const keep: Keep = (ids) =>
        where
          ? sql`select r.id from (select id, ${literal(type)}::text as type from (${ids}) ids) r where ${where}`
          : ids
      const parts = [
        ...closed.map(
          (chain) =>
            sql`select id from (${keep(endsOf(organizationId, start, chain, bound, left))}) ends ${unlessWhole}`,
        ),
        ...byGroupType(chains).map(([chain]) =>
          membersOfOpened(organizationId, chain!, bound, left, keep),
        ),
      ]
      const distinct = chains.every((chain) => chain.length === 2) ? empty : sql`distinct`
      return sql`select ${literal(type)}::text as type, id from (select ${distinct} id from (${union(parts)}) every) once`
    }),
  )
}

/** To look for one member takes as long as to read past so many. */
const PROBE = 25

/**
 * How many that are. To know a hundred thousand ids apart takes longer than to count them, and often all or nearly all
 * come from one group. If that one has everybody, there can be no more. Else only the members of the others are told
 * apart: a few are looked for in the large group; beside many, it is read along its index without them.
 */
export function totalSql(organizationId: string, start: NodeRef, chains: readonly Chain[]): Sql {
  const [first, ...more] = chains
  if (first?.length === 2 && more.length === 0 && memberTypeOf(first[0]) === first[1])
    return membersSql(organizationId, first[0], sql`${start.id}`)
  const count = sql`(select count(*) from (${reachableSql(organizationId, start, chains)}) r)`
  const chain = settling(chains)
  if (!chain) return count
  const groups = sizedOf(chain)
  const largest = sql`(select max(size) from ${groups})`
  const others = union([
    ...chains.filter((chain) => !opens(chain)).map((chain) => endsOf(organizationId, start, chain)),
    sql`select m.id from ${groups} g,
      lateral (select e.to_id::text as id from ${membershipsIn(organizationId, chain)} offset 0) m
       where not g.large`,
  ])
  const inLarge = membershipsIn(organizationId, chain, sql`(select id from ${groups} where large)`)
  return sql`(
    select case
      when ${isWhole(chain)} then ${largest}
      when (select count(*) from ${groups} where large) = 1 then (
        with apart as materialized (select distinct id from (${others}) every)
        select case when (select count(*) from apart) * ${PROBE} < ${largest}
          then ${largest} + (select count(*) from apart a
                              where not exists (select from ${inLarge} and e.to_id = a.id offset 0))
          else (select count(*) from apart) + (
            select count(*) filter (where e.to_id::text not in (select id from apart)) from ${inLarge}) end)
      else ${count} end)`
}
