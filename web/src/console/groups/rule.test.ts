import assert from 'node:assert/strict'
import { test } from 'node:test'
import { headersFor, isUnfinished, type MemberQuery, queryOf, ruleOf } from './rule.ts'
import { USER_FIELDS } from './rule-fields.ts'

const filter = (field: string, operator: string, value: unknown): MemberQuery => ({
  queryType: 'FilterQuery',
  filters: [{ field, operator, value }],
})

test('a rule that was read is written as it was', () => {
  const rules: MemberQuery[] = [
    filter('department', 'eq', 'Sales'),
    filter('department', 'nin', ['Sales', 'Support']),
    filter('department', 'not_starts_with', 'Field'),
    filter('created', 'between', ['2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z']),
    filter('department', 'ne', ''),
    filter('manager', 'eq', null),
    filter('attributes.team', 'eq', null),
    { queryType: 'Search', searchFilters: { searchTerm: ['acme'], fields: ['company'] } },
  ]
  for (const rule of rules) assert.deepEqual(queryOf(USER_FIELDS, ruleOf('user', rule)), rule)
})

test('rules in the forms and spellings of other clients are read', () => {
  const newer = { filters: [{ field: 'user.department', operation: 'notContains', value: 'x' }] }
  assert.deepEqual(ruleOf('user', newer).conditions, [
    { field: 'department', operator: 'not_contains', values: ['x'] },
  ])
  assert.deepEqual(headersFor(newer), { header: { 'x-query-dsl': 'v2' } })
  assert.deepEqual(headersFor(filter('department', 'eq', 'x')), {})
  assert.deepEqual(ruleOf('user', filter('department', '$IN', 'a|b')).conditions, [
    { field: 'department', operator: 'in', values: ['a', 'b'] },
  ])
})

test('conditions without a value are left out, and make the rule unfinished', () => {
  const rule = {
    conditions: [
      { field: 'department', operator: 'eq' as const, values: ['Sales'] },
      { field: 'created', operator: 'between' as const, values: ['2026-01-01T00:00:00Z', ''] },
    ],
    search: null,
  }
  assert.deepEqual(queryOf(USER_FIELDS, rule), filter('department', 'eq', 'Sales'))
  assert.equal(isUnfinished(rule), true)
  assert.equal(queryOf(USER_FIELDS, { conditions: [], search: null }), null)
})
