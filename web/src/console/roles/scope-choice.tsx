import { Checkbox, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useRead } from '../reads.ts'
import { areaOf, readScopes, scopesKey } from './role.ts'

interface Props {
  value: string[]
  onChange: (scopes: string[]) => void
  readOnly?: boolean
  /** Scopes that may be chosen; all by default. */
  among?: string[]
}

const wordOf = (scope: string, area: string): string => {
  if (scope === area) return 'Read and change'
  return scope === `${area}.readonly` ? 'Read' : scope
}

/** Scopes by area, with their names in the API. */
export function ScopeChoice({ value, onChange, readOnly = false, among }: Props) {
  const { data } = useRead(scopesKey, readScopes)
  if (!data) return <Skeleton h={320} />
  const held = new Set(value)
  const toggle = (scope: string) =>
    onChange(held.has(scope) ? value.filter((each) => each !== scope) : [...value, scope])
  return (
    <Stack gap="sm">
      {data
        .map(({ name, scopes }) => ({
          name,
          scopes: among ? scopes.filter((scope) => among.includes(scope)) : scopes,
        }))
        .filter(({ scopes }) => scopes.length > 0)
        .map(({ name, scopes }) => (
          <fieldset key={name} style={{ border: 0, padding: 0, margin: 0 }}>
            <Text size="sm" fw={600} component="legend" p={0} mb={4}>
              {areaOf(name)}
            </Text>
            <Group gap="lg">
              {scopes.map((scope) => (
                <Checkbox
                  key={scope}
                  size="xs"
                  label={wordOf(scope, name)}
                  title={scope}
                  disabled={readOnly}
                  checked={held.has(scope)}
                  onChange={() => toggle(scope)}
                />
              ))}
            </Group>
          </fieldset>
        ))}
    </Stack>
  )
}
