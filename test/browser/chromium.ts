import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { installPackages } from '../debian.ts'
import { keepForProcess } from '../process-parts.ts'
import { CHROMIUM } from './program.ts'

const IDLE_MS = 100

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  // No requests other than to the pages under test.
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Debian's Chromium, headless. It writes to the directory. */
export function launchChromium(home: string): Promise<Browser> {
  if (!existsSync(CHROMIUM)) installPackages('Chromium', 'chromium')
  return chromium.launch({
    executablePath: CHROMIUM,
    args: FLAGS,
    env: { ...process.env, HOME: home },
    // Generous for busy machines: every wait ends with its condition.
    timeout: 120_000,
  })
}

async function launchForProcess(): Promise<Browser> {
  const home = mkdtempSync(join(tmpdir(), 'gatehouse-chromium-'))
  keepForProcess(() => rmSync(home, { recursive: true, force: true }))
  const browser = await launchChromium(home).catch((error) => {
    throw new Error(`Chromium did not start: ${error.message}`, { cause: error })
  })
  keepForProcess(() => browser.close())
  return browser
}
/** One for all files of this process: a start takes seconds, a context of it milliseconds. */
let launched: Promise<Browser> | undefined

export async function startChromium(baseURL: string) {
  launched ??= launchForProcess()
  const browser = await launched

  /**
   * A user with a separate browser context, closed when the test is done: no shared cookies. `problems` collects
   * console errors.
   */
  return async (options: BrowserContextOptions = {}) => {
    // Transitions would only be waited for.
    const context = await browser.newContext({ baseURL, reducedMotion: 'reduce', ...options })
    after(() => context.close())
    context.setDefaultTimeout(60_000)
    const problems: string[] = []
    const page: Page = await context.newPage()
    page.on('pageerror', (error) => problems.push(String(error)))
    page.on('console', (message) => {
      // 4xx responses are part of the journeys; script errors and policy violations are not.
      if (message.type() === 'error' && !/status of 4\d\d/.test(message.text()))
        problems.push(message.text())
    })
    const running = new Set<unknown>()
    let last = 0
    const note = (request: unknown, starts: boolean) => {
      last = performance.now()
      if (starts) running.add(request)
      else running.delete(request)
    }
    page.on('request', (request) => note(request, true))
    page.on('requestfinished', (request) => note(request, false))
    page.on('requestfailed', (request) => note(request, false))
    /** Until the page has asked for nothing more for a moment: shorter than the half second of `networkidle`. */
    const settled = async () => {
      last = performance.now()
      while (running.size > 0 || performance.now() - last < IDLE_MS) await delay(10)
    }
    return { context, page, problems, settled }
  }
}
