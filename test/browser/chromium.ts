import { existsSync } from 'node:fs'
import { after } from 'node:test'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { tempDirectory } from '../database.ts'
import { installPackages } from '../debian.ts'

const PROGRAM = '/usr/bin/chromium'

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
  if (!existsSync(PROGRAM)) installPackages('Chromium', 'chromium')
  return chromium.launch({
    executablePath: PROGRAM,
    args: FLAGS,
    env: { ...process.env, HOME: home },
    // Generous for busy machines: every wait ends with its condition.
    timeout: 120_000,
  })
}

/** Closed when the test file is done. */
export async function startChromium(baseURL: string) {
  const browser = await launchChromium(tempDirectory())
  after(() => browser.close())

  /** A user with a separate browser context: no shared cookies. `problems` collects console errors. */
  return async (options: BrowserContextOptions = {}) => {
    const context = await browser.newContext({ baseURL, ...options })
    context.setDefaultTimeout(60_000)
    const problems: string[] = []
    const page: Page = await context.newPage()
    page.on('pageerror', (error) => problems.push(String(error)))
    page.on('console', (message) => {
      // 4xx responses are part of the journeys; script errors and policy violations are not.
      if (message.type() === 'error' && !/status of 4\d\d/.test(message.text()))
        problems.push(message.text())
    })
    return { context, page, problems }
  }
}
