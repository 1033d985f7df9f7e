// Runs on the system's Node (18 or newer): one step of the start, with a sign of life and its time.
import { spawn } from 'node:child_process'

const SIGN_OF_LIFE_MS = 5000
const seconds = (since) => `${((Date.now() - since) / 1000).toFixed(1)} s`

/** Runs a program whose output goes to stderr. Returns whether it succeeded. */
export async function step(title, command, args, options) {
  const began = Date.now()
  process.stderr.write(`${title} …\n`)
  const timer = setInterval(() => process.stderr.write(`  … ${seconds(began)}\n`), SIGN_OF_LIFE_MS)
  const status = await new Promise((resolve) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 2, 2] })
    child.once('error', () => resolve(1))
    child.once('close', (code) => resolve(code ?? 1))
  })
  clearInterval(timer)
  process.stderr.write(`${title}: ${status === 0 ? 'done' : 'failed'} after ${seconds(began)}\n`)
  return status === 0
}
