import { Page } from '../../ui/page.tsx'
import { useOrganization } from '../organization.ts'

export function Home() {
  const { name } = useOrganization()
  return <Page title={name}>{null}</Page>
}
