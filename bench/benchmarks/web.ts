import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Browser } from 'playwright-core'
import { launchChromium } from '../../test/browser/chromium.ts'
import { signInToConsole } from '../../test/browser/console-steps.ts'
import { atMost, type Benchmark, type Row } from '../benchmark.ts'
import { median } from '../rounds.ts'
import {
  noteReady,
  type Scrolled,
  scriptBytes,
  scrollRows,
  showPlainRows,
  timeToRows,
} from '../web/measure.ts'
import { ADMINISTRATOR, openWorld } from '../web/world.ts'

const MAX_SCRIPT_KB = 300
const MAX_CALLS = 3
const MAX_CACHED_MS = 100
const MAX_FIRST_MS = 500
const MAX_DROPPED = 5
const ROWS = 10_000
const IDLE_MS = 300

/** Lists, by the heading of the page. Each is reached by a link of the page before. */
const LISTS: [path: string, heading: string][] = [
  ['users', 'Users'],
  ['groups', 'Groups'],
  ['devices', 'Devices'],
  ['commands', 'Commands'],
  ['applications', 'Applications'],
  ['insights', 'Insights'],
  ['organizations', 'Organizations'],
  ['administrators', 'Administrators'],
  ['roles', 'Roles'],
  ['api-keys', 'API keys'],
]

type World = Awaited<ReturnType<typeof openWorld>>
type Session = Awaited<ReturnType<typeof openSession>>

/** What the pages did, over all contexts. */
interface Seen {
  /** Requests to anywhere but the installation. */
  outside: string[]
  /** Sources of the content security policy that are neither our own files nor a nonce. */
  exceptions: Set<string>
  /** Errors in the browser's console, violations of the policy among them. */
  problems: string[]
}

async function openPage(browser: Browser, { url }: World, seen: Seen, session?: Session) {
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width: 1440, height: 900 },
    ...(session && { storageState: session }),
  })
  context.setDefaultTimeout(60_000)
  await context.addInitScript(noteReady)
  const page = await context.newPage()
  const calls: string[] = []
  let running = 0
  let changed = performance.now()
  const change = (by: number) => () => {
    running += by
    changed = performance.now()
  }
  page.on('requestfinished', change(-1))
  page.on('requestfailed', change(-1))
  page.on('request', change(1))
  /** Until no request has been under way for a moment. */
  const settled = async () => {
    changed = performance.now()
    while (running > 0 || performance.now() - changed < IDLE_MS) await delay(20)
  }
  page.on('request', (request) => {
    const { origin, pathname } = new URL(request.url())
    if (origin !== url) seen.outside.push(request.url())
    if (/^\/(api|insights)\//.test(pathname)) calls.push(`${request.method()} ${pathname}`)
  })
  page.on('response', (response) => {
    const policy = response.headers()['content-security-policy'] ?? 'no policy'
    for (const source of policy.split(';').flatMap((rule) => rule.trim().split(' ').slice(1)))
      if (!/^'(none|self|nonce-.*)'$/.test(source)) seen.exceptions.add(source)
  })
  page.on('console', (message) => {
    // Before the sign-in there is no session.
    if (message.type() === 'error' && !/status of 401/.test(message.text()))
      seen.problems.push(message.text())
  })
  page.on('pageerror', (error) => seen.problems.push(String(error)))
  return { context, page, calls, settled }
}

async function openSession(browser: Browser, world: World, seen: Seen) {
  const { context, page } = await openPage(browser, world, seen)
  await page.goto('/console')
  await signInToConsole(page, ADMINISTRATOR.email, ADMINISTRATOR.password)
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  const state = await context.storageState()
  await context.close()
  return state
}

/** Every list once with empty caches, and once more. */
async function visit(browser: Browser, world: World, seen: Seen, session: Session) {
  const { context, page, calls, settled } = await openPage(browser, world, seen, session)
  const base = `/console/${world.organizationId}`
  await page.goto(base)
  await settled()
  const home = { scripts: await scriptBytes(page), calls: [...calls] }
  const lists = []
  for (const [path, heading] of LISTS) {
    calls.length = 0
    const loaded = (await scriptBytes(page)).all
    const first = await timeToRows(page, `${base}/${path}`, heading)
    await settled()
    const script = (await scriptBytes(page)).all - loaded
    lists.push({ path, first, calls: [...calls], script, cached: 0 })
  }
  // From the last list back to those that the menu leads to, and on.
  for (const [at, [path, heading]] of LISTS.entries()) {
    lists[at]!.cached = await timeToRows(page, `${base}/${path}`, heading)
    await settled()
  }
  await context.close()
  return { home, lists }
}

async function scroll(browser: Browser, world: World, seen: Seen, session: Session) {
  const { context, page, settled } = await openPage(browser, world, seen, session)
  const base = `/console/${world.organizationId}`
  await page.goto(`${base}/insights?last=P90D`)
  await settled()
  const events = await scrollRows(page, ROWS, 'section[aria-label="Events"]')
  await page.goto(`${base}/users`)
  await settled()
  const users = await scrollRows(page, Math.min(ROWS, world.people), null)
  await showPlainRows(page, users.rows)
  const plain = await scrollRows(page, users.rows, null)
  await context.close()
  return { events, users, plain }
}

/** Percent, in the round in the middle. */
const dropped = (rounds: Scrolled[]): number =>
  median(rounds.map(({ frames, expected }) => Math.max(0, (100 * (expected - frames)) / expected)))

/** The console in a real browser, in an organization of 100,000 people with a part of two million events. */
export const web: Benchmark = {
  name: 'web',
  async run(settings) {
    const world = await openWorld(settings)
    const home = mkdtempSync(join(tmpdir(), 'gatehouse-chromium-'))
    const browser = await launchChromium(home)
    const seen: Seen = { outside: [], exceptions: new Set(), problems: [] }
    try {
      const session = await openSession(browser, world, seen)
      // The service compiles what it runs often.
      await visit(browser, world, seen, session)
      const rounds: Awaited<ReturnType<typeof visit>>[] = []
      for (let round = 0; round < settings.rounds; round++)
        rounds.push(await visit(browser, world, seen, session))
      const lists = LISTS.map(([path], at) => {
        const all = rounds.map(({ lists }) => lists[at]!)
        const list = {
          path,
          calls: Math.max(...all.map(({ calls }) => calls.length)),
          first: median(all.map(({ first }) => first)),
          cached: median(all.map(({ cached }) => cached)),
          rounds: all,
        }
        process.stdout.write(
          `  ${path}: ${list.calls} calls, first ${Math.round(list.first)} ms, cached ${Math.round(list.cached)} ms\n`,
        )
        return list
      })
      const worst = (of: 'calls' | 'first' | 'cached') =>
        lists.reduce((one, other) => (other[of] > one[of] ? other : one))
      const scripts = rounds.map(({ home }) => home.scripts)
      const scrolled: Awaited<ReturnType<typeof scroll>>[] = []
      for (let round = 0; round < settings.rounds; round++)
        scrolled.push(await scroll(browser, world, seen, session))
      const ofScrolling = (what: 'events' | 'users'): Row => ({
        ...atMost(
          `dropped frames, ${scrolled[0]![what].rows} ${what} scrolled`,
          '%',
          dropped(scrolled.map((round) => round[what])),
          MAX_DROPPED,
          scrolled,
        ),
        baseline: dropped(scrolled.map(({ plain }) => plain)),
      })
      return [
        atMost(
          'script before the first page can be used, compressed',
          'kB',
          median(scripts.map(({ before }) => before / 1000)),
          MAX_SCRIPT_KB,
          scripts,
        ),
        atMost(
          `API calls of a list, the most (${worst('calls').path})`,
          'calls',
          worst('calls').calls,
          MAX_CALLS,
          lists,
        ),
        atMost(
          `first rows of a list, the slowest (${worst('first').path})`,
          'ms',
          worst('first').first,
          MAX_FIRST_MS,
          lists,
        ),
        atMost(
          `the same from the cache, the slowest (${worst('cached').path})`,
          'ms',
          worst('cached').cached,
          MAX_CACHED_MS,
          lists,
        ),
        ofScrolling('events'),
        ofScrolling('users'),
        atMost('requests that leave the installation', '', seen.outside.length, 0, seen.outside),
        atMost(
          'exceptions of the content security policy, and errors in the console',
          '',
          seen.exceptions.size + seen.problems.length,
          0,
          [...seen.exceptions, ...seen.problems],
        ),
      ]
    } finally {
      await browser.close()
      rmSync(home, { recursive: true, force: true })
      await world.close()
    }
  },
}
