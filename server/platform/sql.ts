export * from './db/sql.ts'
