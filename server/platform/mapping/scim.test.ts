import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { User } from '../../users/schema.ts'
import { compileMapping, type Mapping, type MappingExpression } from './index.ts'

// The language must be able to say the natural mapping of a user of the directory to a SCIM user (RFC 7643 §4.1, §4.3).

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const source = (path: string): MappingExpression => ({ source: path })
const copy = (target: string, path: string) => ({ target, value: source(path) })
const workAddress = (target: string, path: string) =>
  copy(`addresses[type eq "work"].${target}`, `addresses[type eq "work"].${path}`)

const mapping: Mapping = [
  { target: 'userName', value: source('username'), required: true },
  { target: 'externalId', value: source('_id'), required: true },
  copy('name.givenName', 'firstname'),
  copy('name.middleName', 'middlename'),
  copy('name.familyName', 'lastname'),
  {
    target: 'displayName',
    value: {
      first: [
        source('displayname'),
        { join: [source('firstname'), source('lastname')], separator: ' ' },
      ],
    },
  },
  { target: 'emails[type eq "work"].value', value: source('email'), required: true },
  {
    target: 'emails[type eq "work"].primary',
    value: { constant: true },
    when: { field: 'email', operator: 'exists' },
  },
  copy('phoneNumbers[type eq "work"].value', 'phoneNumbers[type eq "work"].number'),
  copy('phoneNumbers[type eq "mobile"].value', 'phoneNumbers[type eq "mobile"].number'),
  workAddress('streetAddress', 'streetAddress'),
  workAddress('locality', 'locality'),
  workAddress('postalCode', 'postalCode'),
  workAddress('country', 'country'),
  copy('title', 'jobTitle'),
  copy('userType', 'employeeType'),
  copy(`${ENTERPRISE}:department`, 'department'),
  copy(`${ENTERPRISE}:costCenter`, 'costCenter'),
  copy(`${ENTERPRISE}:employeeNumber`, 'employeeIdentifier'),
  copy(`${ENTERPRISE}:organization`, 'company'),
  copy(`${ENTERPRISE}:manager.value`, 'manager'),
  {
    target: 'active',
    value: { map: source('state'), values: { ACTIVATED: true }, default: false },
    required: true,
  },
]

const empty: User = {
  _id: '65f000000000000000000001',
  id: '65f000000000000000000001',
  username: 'ada',
  email: 'ada@x.example',
  firstname: '',
  middlename: '',
  lastname: '',
  displayname: '',
  addresses: [],
  phoneNumbers: [],
  jobTitle: '',
  department: '',
  costCenter: '',
  employeeIdentifier: null,
  manager: null,
  state: 'STAGED',
}

const { evaluate } = compileMapping(mapping)

test('a user with all fields', () => {
  const user: User = {
    ...empty,
    firstname: 'Ada',
    lastname: 'Lovelace',
    phoneNumbers: [
      { id: '1', type: 'home', number: '+44 1' },
      { id: '2', type: 'work', number: '+44 2' },
    ],
    addresses: [
      { id: '1', type: 'work', streetAddress: '12 St James', locality: 'London', country: 'GB' },
    ],
    jobTitle: 'Analyst',
    department: 'Mathematics',
    costCenter: '42',
    company: 'Engines Ltd',
    employeeIdentifier: 'E1',
    manager: '65f000000000000000000009',
    state: 'ACTIVATED',
  }
  assert.deepEqual(evaluate(user, { groups: [] }), {
    result: {
      userName: 'ada',
      externalId: '65f000000000000000000001',
      name: { givenName: 'Ada', familyName: 'Lovelace' },
      displayName: 'Ada Lovelace',
      emails: [{ type: 'work', value: 'ada@x.example', primary: true }],
      phoneNumbers: [{ type: 'work', value: '+44 2' }],
      addresses: [
        { type: 'work', streetAddress: '12 St James', locality: 'London', country: 'GB' },
      ],
      title: 'Analyst',
      [ENTERPRISE]: {
        department: 'Mathematics',
        costCenter: '42',
        employeeNumber: 'E1',
        organization: 'Engines Ltd',
        manager: { value: '65f000000000000000000009' },
      },
      active: true,
    },
    problems: [],
  })
})

test('fields without a value leave no empty objects behind', () => {
  assert.deepEqual(evaluate(empty, { groups: [] }), {
    result: {
      userName: 'ada',
      externalId: '65f000000000000000000001',
      emails: [{ type: 'work', value: 'ada@x.example', primary: true }],
      active: false,
    },
    problems: [],
  })
})
