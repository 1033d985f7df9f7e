import type { components } from '../../../../client/insights.gen.ts'
import type { Search } from '../link.tsx'
import { DEFAULT_COLUMNS, type ExplorerState } from './explorer-state.ts'
import { fromJson } from './query/term.ts'
import { printQuery } from './query/text.ts'
import { SIGN_IN_QUERY } from './sign-ins.ts'

export type SavedSearch = components['schemas']['SavedSearch']

/** Questions that every administrator asks. */
export const OFFERED: { label: string; search: Search }[] = [
  { label: 'Every event', search: {} },
  { label: 'Failed sign-ins', search: { q: `${SIGN_IN_QUERY} and success = false`, last: 'P7D' } },
  {
    label: 'Sign-ins by country',
    search: { q: SIGN_IN_QUERY, last: 'P7D', field: 'geoip.country_code' },
  },
  {
    label: 'Changes of groups',
    search: {
      q: 'event_type in (group_create, group_update, group_delete, association_change)',
      last: 'P30D',
    },
  },
  {
    label: 'What administrators did',
    search: { q: 'initiated_by.type = admin', last: 'P7D', field: 'initiated_by.email' },
  },
]

/** Relative times stay relative; the services and the query as in a request. */
export const queryOf = ({ range, service, selection }: ExplorerState) => ({
  service,
  ...(selection.search_term && { search_term: selection.search_term }),
  sort: 'DESC',
  ...('last' in range ? { range: range.last } : { start_time: range.from, end_time: range.to }),
})

/** The address that shows a saved search. Throws if its query is not one that can be shown. */
export function addressOf({ query, columns }: SavedSearch): Search {
  const { service, search_term, range, start_time, end_time } = query
  const services = [service ?? 'all'].flat().map(String)
  return {
    q: printQuery(fromJson(search_term)),
    ...(services.includes('all') ? {} : { service: services.join(',') }),
    ...(typeof range === 'string' && { last: range }),
    ...(typeof start_time === 'string' && {
      from: start_time,
      to: typeof end_time === 'string' ? end_time : new Date().toISOString(),
    }),
    ...(columns.length > 0 &&
      columns.join(',') !== DEFAULT_COLUMNS.join(',') && { columns: columns.join(',') }),
  }
}
