import type { User } from './user.ts'

interface Field {
  name: TextField
  label: string
  type?: 'email'
}

type TextField =
  | 'firstname'
  | 'middlename'
  | 'lastname'
  | 'displayname'
  | 'username'
  | 'email'
  | 'alternateEmail'
  | 'jobTitle'
  | 'department'
  | 'company'
  | 'costCenter'
  | 'location'
  | 'employeeType'
  | 'employeeIdentifier'
  | 'description'

export type Profile = Record<TextField, string> & {
  attributes: { name: string; value: string }[]
}

export const FIELDS: { title: string; fields: Field[] }[] = [
  {
    title: 'Person',
    fields: [
      { name: 'firstname', label: 'First name' },
      { name: 'lastname', label: 'Last name' },
      { name: 'middlename', label: 'Middle name' },
      { name: 'displayname', label: 'Display name' },
      { name: 'description', label: 'Description' },
    ],
  },
  {
    title: 'Account',
    fields: [
      { name: 'username', label: 'Username' },
      { name: 'email', label: 'E-mail', type: 'email' },
      { name: 'alternateEmail', label: 'Alternate e-mail', type: 'email' },
    ],
  },
  {
    title: 'Employment',
    fields: [
      { name: 'jobTitle', label: 'Job title' },
      { name: 'department', label: 'Department' },
      { name: 'company', label: 'Company' },
      { name: 'costCenter', label: 'Cost center' },
      { name: 'location', label: 'Location' },
      { name: 'employeeType', label: 'Employee type' },
      { name: 'employeeIdentifier', label: 'Employee id' },
    ],
  },
]

export const fieldsOf = (user: User): Profile => ({
  ...(Object.fromEntries(
    FIELDS.flatMap(({ fields }) => fields).map(({ name }) => [name, user[name] ?? '']),
  ) as Record<TextField, string>),
  attributes: (user.attributes ?? []).map(({ name, value }) => ({ name, value })),
})
