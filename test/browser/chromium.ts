import { existsSync } from 'node:fs'
import { after } from 'node:test'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { installPackages } from '../debian.ts'
import { tempDirectory } from '../harness.ts'

const PROGRAM = '/usr/bin/chromium'

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  // Nothing but the pages under test is talked to.
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Debian's Chromium without a window; closed when the test file is done. */
export async function startChromium(baseURL: string) {
  if (!existsSync(PROGRAM)) installPackages('Chromium', 'chromium')
  const browser: Browser = await chromium.launch({
    executablePath: PROGRAM,
    args: FLAGS,
    env: { ...process.env, HOME: tempDirectory() },
    // A busy machine takes its time; waiting is for conditions and ends with them.
    timeout: 120_000,
  })
  after(() => browser.close())

  /** A person with a browser of their own: no cookie is shared. `problems` is what a page must not have said. */
  return async (options: BrowserContextOptions = {}) => {
    const context = await browser.newContext({ baseURL, ...options })
    context.setDefaultTimeout(60_000)
    const problems: string[] = []
    const page: Page = await context.newPage()
    page.on('pageerror', (error) => problems.push(String(error)))
    page.on('console', (message) => {
      // An answer of 4xx is part of the journeys; scripts that fail and broken policies are not.
      if (message.type() === 'error' && !/status of 4\d\d/.test(message.text()))
        problems.push(message.text())
    })
    return { context, page, problems }
  }
}
