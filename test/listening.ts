import assert from 'node:assert/strict'
import { startApp } from './harness.ts'

/** The shared application, which listens at its public URL. */
export async function startListening() {
  const app = await startApp()
  const base = await app.listen()
  assert.equal(base, app.config.publicUrl)
  return { ...app, base }
}
