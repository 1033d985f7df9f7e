import { Stack, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { To, usePath } from '../link.tsx'
import { useMay, useOrganization } from '../organization.ts'
import pageClasses from '../resource/page.module.css'
import { About } from './about.tsx'
import { ConnectKey } from './connect-key.tsx'
import { GENERAL, SECURITY } from './fields.ts'
import { Jobs } from './jobs.tsx'
import { OrganizationLogo } from './logo.tsx'
import { Reports } from './reports.tsx'
import { Retention } from './retention.tsx'
import { SettingsForm } from './settings-form.tsx'
import { Webhook } from './webhooks/webhook.tsx'
import { Webhooks } from './webhooks/webhooks.tsx'
import { Workday } from './workday/workday.tsx'

interface Part {
  /** In the address. */
  id: string
  label: string
  /** Scope of the API that reading needs. */
  scope: string
  content: (inner: string | undefined) => ReactNode
}

const PARTS: Part[] = [
  {
    id: 'general',
    label: 'General',
    scope: 'organizations',
    content: () => (
      <Stack maw={760}>
        <OrganizationLogo />
        <SettingsForm key="general" groups={GENERAL} />
        <Retention />
      </Stack>
    ),
  },
  {
    id: 'security',
    label: 'Sign-in and passwords',
    scope: 'organizations',
    content: () => <SettingsForm key="security" groups={SECURITY} />,
  },
  { id: 'devices', label: 'Enrolment', scope: 'systems', content: () => <ConnectKey /> },
  { id: 'workday', label: 'Workday', scope: 'directories', content: () => <Workday /> },
  {
    id: 'webhooks',
    label: 'Webhooks',
    scope: 'insights',
    content: (id) => (id ? <Webhook key={id} id={id} /> : <Webhooks />),
  },
  { id: 'reports', label: 'Reports', scope: 'insights', content: () => <Reports /> },
  { id: 'jobs', label: 'Jobs', scope: 'organizations', content: () => <Jobs /> },
  { id: 'about', label: 'About and health', scope: 'organizations', content: () => <About /> },
]

/** How the organization is set up: one part at a time, each with an address. */
export function Settings() {
  const { id, tab } = usePath()
  const { name } = useOrganization()
  const may = useMay()
  const parts = PARTS.filter(({ scope }) => may.read(scope))
  const shown = parts.find((part) => part.id === id) ?? parts[0]
  useDocumentTitle(`${shown?.label ?? 'Settings'} · ${name} · Gatehouse`)
  return (
    <Stack gap={0}>
      <Title order={1} mb="sm">
        Settings
      </Title>
      <nav className={pageClasses.tabs} aria-label="Parts of the settings">
        {parts.map((part) => (
          <To
            key={part.id}
            to={`settings/${part.id}`}
            className={pageClasses.tab}
            {...(part === shown && { 'data-status': 'active' })}
          >
            {part.label}
          </To>
        ))}
      </nav>
      {shown?.content(tab)}
    </Stack>
  )
}
