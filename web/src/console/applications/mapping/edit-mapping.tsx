import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Api } from '../../../api/organization.ts'
import { Panel } from '../../../ui/panel.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { useChange } from '../../changes.ts'
import { MappingEditor } from './mapping-editor.tsx'
import type { Mapping } from './rules.ts'

interface Props {
  lead: ReactNode
  action?: ReactNode
  columns: [string, string]
  /** Fields that a rule can read. */
  suggestions: readonly string[]
  stored: Mapping
  /** As it is edited; null while it cannot be read. */
  mapping: Mapping | null
  onChange: (mapping: Mapping | null) => void
  save: (api: Api, mapping: Mapping) => Promise<unknown>
  touches: string[]
  writable: boolean
}

/** A mapping that is edited and saved. Whoever shows it tries it out meanwhile. */
export function EditMapping({
  lead,
  action,
  columns,
  suggestions,
  stored,
  mapping,
  onChange,
  save,
  touches,
  writable,
}: Props) {
  const saving = useChange({
    run: save,
    touches: [touches],
    done: () => 'Saved the mapping',
    quiet: true,
  })
  return (
    <Panel title="Mapping" lead={lead} action={action}>
      <MappingEditor
        mapping={stored}
        onChange={onChange}
        readOnly={!writable}
        columns={columns}
        suggestions={suggestions}
      />
      <Problem error={saving.error} />
      {writable && (
        <div>
          <Button
            size="sm"
            disabled={!mapping}
            loading={saving.isPending}
            onClick={() => mapping && saving.mutate(mapping)}
          >
            Save mapping
          </Button>
        </div>
      )}
    </Panel>
  )
}
