import { FileReader } from './file.ts'
import { RestReader } from './rest.ts'
import { ScimReader } from './scim.ts'
import type { SourceSettings } from './settings.ts'
import type { Source, SourceDependencies } from './source.ts'

export function openSource(
  settings: SourceSettings,
  secret: string | null,
  dependencies: SourceDependencies,
): Source {
  switch (settings.kind) {
    case 'rest':
      return new RestReader(settings, secret, dependencies)
    case 'scim':
      return new ScimReader(settings, secret, dependencies)
    case 'file':
      return new FileReader(settings, dependencies)
  }
}
