import { List, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import { Facts } from '../../ui/facts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Section } from '../../ui/section.tsx'
import { Tag } from '../../ui/tag.tsx'
import { useHealth } from '../health.ts'
import { MailNotice } from '../mail-notice.tsx'
import { useOrganization } from '../organization.ts'

/** Whether the service is well, and who is asking. */
export function About() {
  const { id, name, session } = useOrganization()
  const { data, error } = useHealth()
  const warnings = data?.warnings ?? []
  return (
    <Stack maw={760}>
      <Section title="Health">
        <Stack gap="sm">
          <Problem error={error} />
          {data && (
            <div>
              {warnings.length === 0 ? (
                <Tag tone="good" Icon={IconCircleCheck}>
                  Everything is well
                </Tag>
              ) : (
                <Tag tone="warn" Icon={IconAlertTriangle}>
                  Needs attention
                </Tag>
              )}
            </div>
          )}
          {warnings.length > 0 && (
            <List size="sm">
              {warnings.map((warning) => (
                <List.Item key={warning}>{warning}</List.Item>
              ))}
            </List>
          )}
          <MailNotice />
        </Stack>
      </Section>
      <Section title="About">
        <Facts
          items={[
            { label: 'Version', aside: String(import.meta.env.VITE_VERSION) },
            { label: 'Organization', aside: name },
            { label: 'Id', aside: id },
            { label: 'Provider', aside: session.providerId },
            { label: 'You', aside: session.email },
            { label: 'Your roles', aside: session.roleNames.join(', ') },
          ]}
        />
        <Text size="sm" mt="sm">
          <a href="/docs">API reference</a>
        </Text>
      </Section>
    </Stack>
  )
}
