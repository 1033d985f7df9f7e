import { Checkbox, Select, Stack, TagsInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { PairsField } from '../../ui/pairs-field.tsx'
import { Section } from '../../ui/section.tsx'
import { RIGHTS } from '../devices/rights.ts'
import { useMay } from '../organization.ts'
import type { AttributeValues } from './attributes.ts'

interface Props<V extends AttributeValues> {
  form: UseFormReturnType<V>
  readOnly: boolean
  /** There is a POSIX group, which never changes. */
  posixFixed: boolean
}

/** What members of a group of users have on devices, and what the group is in other directories. */
export function AttributeFields<V extends AttributeValues>({
  form,
  readOnly,
  posixFixed,
}: Props<V>) {
  const mayGiveSudo = useMay().write('systems.sudo')
  return (
    <>
      <Section title="Rights on devices" about="Of members, on devices that the group signs in to.">
        <Select
          size="sm"
          maw={320}
          label="Members are"
          allowDeselect={false}
          readOnly={readOnly}
          data={Object.entries(RIGHTS).map(([value, label]) => ({
            value,
            label,
            disabled: !mayGiveSudo && value !== 'standard',
          }))}
          {...form.getInputProps('right')}
        />
      </Section>
      <Section title="In other directories" about="What the group is to devices, LDAP and Samba.">
        <Stack gap="sm">
          <PairsField
            label="POSIX groups"
            description={
              posixFixed
                ? 'They never change: files on devices belong to the id.'
                : 'Once saved they never change: files on devices belong to the id.'
            }
            columns={['Name', 'Id']}
            row="POSIX group"
            readOnly={readOnly || posixFixed}
            {...form.getInputProps('posixGroups')}
            value={form.values.posixGroups}
          />
          <TagsInput
            size="sm"
            label="LDAP groups"
            description="Names of the group in LDAP; there is always one"
            readOnly={readOnly}
            {...form.getInputProps('ldapGroups')}
          />
          <Checkbox
            label="Available to Samba"
            disabled={readOnly}
            {...form.getInputProps('sambaEnabled', { type: 'checkbox' })}
          />
        </Stack>
      </Section>
      <Section title="RADIUS">
        <PairsField
          label="Reply attributes"
          description="What a RADIUS server answers when a member signs in"
          columns={['Name', 'Value']}
          row="reply attribute"
          readOnly={readOnly}
          {...form.getInputProps('reply')}
          value={form.values.reply}
        />
      </Section>
    </>
  )
}
