export * from './db/migrate.ts'
