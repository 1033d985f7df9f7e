import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { startService, temporaryDataDir } from '../bench/service.ts'
import type { DemoCredentials } from '../demo/credentials.ts'
import { launchChromium } from '../test/browser/chromium.ts'

// npm run screenshots: takes the pictures of the documentation from the demo, in docs/images/.

const { dataDir, remove } = temporaryDataDir()
const home = mkdtempSync(join(tmpdir(), 'gatehouse-chromium-'))
const service = await startService(dataDir, [], {}, ['--demo'])
const browser = await launchChromium(home)

const demo: DemoCredentials = JSON.parse(
  readFileSync(join(dataDir, 'demo-credentials.json'), 'utf8'),
)
const admin = demo.administrators.find(({ organizationId }) => organizationId !== null)!
const user = demo.users.find(({ organizationId }) => organizationId === admin.organizationId)!

async function take(page: Page, name: string, path: string): Promise<void> {
  await page.goto(path)
  await page.waitForLoadState('networkidle')
  await page.mouse.move(0, 0)
  await page.screenshot({ path: `docs/images/${name}.png` })
  process.stdout.write(`docs/images/${name}.png\n`)
}

try {
  const context = await browser.newContext({
    baseURL: service.url,
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  await page.goto('/console')
  await page.getByLabel('E-mail').fill(admin.email)
  await page.getByLabel('Password', { exact: true }).fill(admin.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  const base = `/console/${admin.organizationId}`
  await take(page, 'console-home', base)
  await take(page, 'console-users', `${base}/users`)
  await take(page, 'console-access', `${base}/users/${user.id}/access`)
  await take(page, 'console-applications', `${base}/applications`)
  await take(page, 'console-devices', `${base}/devices`)
  await take(page, 'console-insights', `${base}/insights`)
} finally {
  await browser.close()
  await service.stop()
  remove()
  rmSync(home, { recursive: true, force: true })
}
