export * from './db/listen.ts'
