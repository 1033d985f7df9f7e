import type { Pair } from '../../ui/pairs-field.tsx'
import { type Right, rightOf, attributesOf as sudoOf } from '../devices/rights.ts'
import type { Group } from './group.ts'

type Attributes = Group['attributes']

/** The attributes that groups of users share with devices and other directories. Others are free. */
interface Known {
  posixGroups?: { id: number; name: string }[] | null
  ldapGroups?: { name: string }[] | null
  sambaEnabled?: boolean | null
  radius?: { reply?: Pair[] | null } | null
}

export interface AttributeValues {
  right: Right
  /** The id as text, while it is typed. */
  posixGroups: Pair[]
  ldapGroups: string[]
  sambaEnabled: boolean
  reply: Pair[]
}

export function attributeValuesOf(attributes: Attributes): AttributeValues {
  const { posixGroups, ldapGroups, sambaEnabled, radius } = (attributes ?? {}) as Known
  return {
    right: rightOf(attributes),
    posixGroups: (posixGroups ?? []).map(({ id, name }) => ({ name, value: String(id) })),
    ldapGroups: (ldapGroups ?? []).map(({ name }) => name),
    sambaEnabled: sambaEnabled ?? false,
    reply: (radius?.reply ?? []).map(({ name, value }) => ({ name, value })),
  }
}

/** With these changes; everything else stays. */
export function attributesAfter(
  now: Attributes,
  { right, posixGroups, ldapGroups, sambaEnabled, reply }: Partial<AttributeValues>,
): Attributes {
  const { radius } = (now ?? {}) as Known
  return {
    ...now,
    ...(right && sudoOf(right)),
    ...(posixGroups && {
      posixGroups: posixGroups.map(({ name, value }) => ({ id: Number(value), name })),
    }),
    ...(ldapGroups && { ldapGroups: ldapGroups.map((name) => ({ name })) }),
    ...(sambaEnabled !== undefined && { sambaEnabled }),
    ...(reply && { radius: { ...radius, reply } }),
  }
}

/** The field that shows an attribute, by the name of the attribute. */
export const FIELD_OF: Record<string, keyof AttributeValues> = {
  sudo: 'right',
  posixGroups: 'posixGroups',
  ldapGroups: 'ldapGroups',
  sambaEnabled: 'sambaEnabled',
  radius: 'reply',
}
