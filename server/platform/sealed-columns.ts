import { rowSecretContext } from './batches/row-store.ts'

/** A column with sealed values. `context` must match the one its slice seals with. */
export interface SealedColumn {
  table: string
  column: string
  /** Columns of the primary key, and the ones that `context` needs. */
  key: readonly string[]
  context: (key: Record<string, string>) => string
}

/** All sealed columns. `keys rotate` reseals these, so a column missing here becomes unreadable. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  {
    table: 'administrators',
    column: 'totp_secret',
    key: ['id'],
    context: ({ id }) => `administrator ${id} totp`,
  },
  {
    table: 'administrators',
    column: 'totp_pending_secret',
    key: ['id'],
    context: ({ id }) => `administrator ${id} totp`,
  },
  {
    table: 'users',
    column: 'totp_secret',
    key: ['organization_id', 'id'],
    context: ({ id }) => `user ${id} totp`,
  },
  {
    table: 'user_totp_enrollments',
    column: 'secret',
    key: ['organization_id', 'user_id'],
    context: ({ user_id }) => `user ${user_id} totp`,
  },
  {
    table: 'batch_rows',
    column: 'secret',
    key: ['organization_id', 'batch_id', 'position', 'id'],
    context: ({ id }) => rowSecretContext(id!),
  },
  { table: 'mails', column: 'body', key: ['id'], context: ({ id }) => `mail ${id}` },
  ...['secret', 'previous_secret'].map((column) => ({
    table: 'forwarders',
    column,
    key: ['organization_id', 'id'],
    context: ({ id }: Record<string, string>) => `forwarder ${id}`,
  })),
  {
    table: 'connect_keys',
    column: 'sealed_key',
    key: ['tenant'],
    context: ({ tenant }) => `connect key ${tenant}`,
  },
  {
    table: 'agent_signing_keys',
    column: 'private_key',
    key: ['organization_id', 'id'],
    context: ({ id }) => `agent signing key ${id}`,
  },
  {
    table: 'application_certificates',
    column: 'private_key',
    key: ['organization_id', 'application_id', 'id'],
    context: ({ id }) => `application certificate ${id}`,
  },
  {
    table: 'provisioning_connections',
    column: 'secret',
    key: ['organization_id', 'application_id'],
    context: ({ application_id }) => `provisioning ${application_id}`,
  },
  {
    table: 'import_sources',
    column: 'secret',
    key: ['organization_id', 'application_id'],
    context: ({ application_id }) => `import ${application_id}`,
  },
  {
    table: 'workdays',
    column: 'secret',
    key: ['organization_id', 'id'],
    context: ({ id }) => `workday ${id}`,
  },
]
