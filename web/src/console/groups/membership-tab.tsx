import { Checkbox, Radio, Stack } from '@mantine/core'
import { useState } from 'react'
import { dataOf } from '../../api/organization.ts'
import { Problem } from '../../ui/problem.tsx'
import { SaveBar } from '../../ui/save-bar.tsx'
import { Section } from '../../ui/section.tsx'
import { useChange } from '../changes.ts'
import { useMay } from '../organization.ts'
import { ObjectList } from '../resource/object-list.tsx'
import { Picker } from '../resource/picker.tsx'
import { type Group as GroupRecord, isDynamic, type Method, replaceGroup } from './group.ts'
import type { Kind } from './kind.ts'
import classes from './rule.module.css'
import { isUnfinished, queryOf, type Rule, ruleOf } from './rule.ts'
import { RuleBuilder } from './rule-builder.tsx'
import { RulePreview } from './rule-preview.tsx'

export const CHOICES: { value: Method; label: string; about: string }[] = [
  { value: 'STATIC', label: 'By hand', about: 'Administrators add and remove members.' },
  {
    value: 'DYNAMIC_AUTOMATED',
    label: 'By rule',
    about: 'Whoever matches is a member, from the moment of the change on.',
  },
  {
    value: 'DYNAMIC_REVIEW_REQUIRED',
    label: 'By rule, after review',
    about: 'The rule suggests who joins and leaves; an administrator accepts or rejects it.',
  },
]

interface Draft {
  method: Method
  rule: Rule
  exempt: string[]
  notify: boolean
}

const draftOf = (kind: Kind, group: GroupRecord): Draft => ({
  method: group.membershipMethod === 'NOTSET' ? 'STATIC' : group.membershipMethod,
  rule: ruleOf(kind.member.type, group.memberQuery),
  exempt: group.memberQueryExemptions.map(({ id }) => id),
  notify: group.memberSuggestionsNotify,
})

/** Who decides about members: administrators, or a rule. */
export function MembershipTab({ kind, group }: { kind: Kind; group: GroupRecord }) {
  const writable = useMay().write('groups')
  const { fields, find, type, one, many, path } = kind.member
  const stored = draftOf(kind, group)
  const [draft, setDraft] = useState(stored)
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part })
  const { method, rule, exempt, notify } = draft
  const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)
  const dirty = !same(draft, stored)
  // A rule that another client wrote stays as it is until it is changed here.
  const query = same(rule, stored.rule) ? (group.memberQuery ?? null) : queryOf(fields, rule)
  const save = useChange({
    run: async (api) =>
      dataOf(
        await replaceGroup(api, kind, group, {
          membershipMethod: method,
          memberQuery: query,
          memberSuggestionsNotify: notify,
          exempt,
        }),
      ),
    touches: [[kind.path], [path]],
    done: () => 'Saved how members are chosen',
    after: (saved) => setDraft(draftOf(kind, saved)),
    quiet: true,
  })
  const dynamic = isDynamic({ membershipMethod: method })
  const missing = dynamic && (query === null || isUnfinished(rule))
  return (
    <form
      className={dynamic ? classes.membership : undefined}
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate()
      }}
    >
      <Stack>
        <Section title="How members are chosen">
          <Radio.Group
            aria-label="How members are chosen"
            value={method}
            onChange={(value) => change({ method: value as Method })}
          >
            <Stack gap="sm">
              {CHOICES.map(({ value, label, about }) => (
                <Radio
                  key={value}
                  value={value}
                  label={label}
                  description={about}
                  disabled={!writable}
                />
              ))}
            </Stack>
          </Radio.Group>
        </Section>
        {dynamic && (
          <>
            <Section title="Rule" about={`Members are the ${many} for whom all of this holds.`}>
              <RuleBuilder
                fields={fields}
                rule={rule}
                readOnly={!writable}
                set={(next) => change({ rule: next })}
              />
            </Section>
            <Section
              title="Exemptions"
              about={`The rule neither adds nor removes these ${many}; you do, by hand.`}
            >
              <Stack gap="sm">
                {writable && (
                  <Picker
                    label={`Exempt a ${one}`}
                    kind={path}
                    find={find}
                    pick={({ id }) => exempt.includes(id) || change({ exempt: [...exempt, id] })}
                  />
                )}
                <ObjectList
                  items={exempt.map((id) => ({ id, type }))}
                  type={type}
                  empty="None."
                  remove={
                    writable
                      ? ({ id }) => change({ exempt: exempt.filter((each) => each !== id) })
                      : undefined
                  }
                />
              </Stack>
            </Section>
            {method === 'DYNAMIC_REVIEW_REQUIRED' && (
              <Checkbox
                label="Mail administrators about new suggestions"
                disabled={!writable}
                checked={notify}
                onChange={({ currentTarget }) => change({ notify: currentTarget.checked })}
              />
            )}
          </>
        )}
        <Problem error={save.error} />
        {writable && (
          <SaveBar
            label="Save membership"
            dirty={dirty}
            saving={save.isPending}
            unfinished={missing}
            discard={() => setDraft(stored)}
          />
        )}
      </Stack>
      {dynamic && (
        <div className={classes.preview}>
          <RulePreview kind={kind} group={group} query={query} exempt={exempt} />
        </div>
      )}
    </form>
  )
}
