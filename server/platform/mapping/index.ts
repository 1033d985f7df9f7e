// A declarative mapping from one record to another: rules with a target, a value and conditions. Pure, and within limits
// whatever the mapping and the record are. docs/mapping.md describes the language.

export { type CompiledMapping, compileMapping } from './compile.ts'
export { previewPace } from './preview-pace.ts'
export {
  Mapping,
  type MappingCondition,
  type MappingExpression,
  MappingPreviewRow,
  type MappingRule,
} from './schema.ts'
export type { MappingContext } from './scope.ts'
