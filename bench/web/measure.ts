import type { Page } from 'playwright-core'

// What runs in the page. Functions given to `evaluate` must be self-contained.

/** Notes when the first page can be used: its heading and the menu are there. For `addInitScript`. */
export function noteReady(): void {
  const look = () => {
    if (document.querySelector('main h1') && document.querySelector('nav a'))
      performance.mark('ready')
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}

/** Compressed sizes of the scripts, in bytes: those there before the page could be used, and all so far. */
export async function scriptBytes(page: Page): Promise<{ before: number; all: number }> {
  return page.evaluate(() => {
    const [ready] = performance.getEntriesByName('ready')
    const scripts = performance
      .getEntriesByType('resource')
      .filter(({ name }) => name.endsWith('.js')) as PerformanceResourceTiming[]
    const sum = (list: PerformanceResourceTiming[]) =>
      list.reduce((total, { encodedBodySize }) => total + encodedBodySize, 0)
    return {
      before: sum(scripts.filter(({ responseEnd }) => responseEnd <= ready!.startTime)),
      all: sum(scripts),
    }
  })
}

/** Follows a link of the page; milliseconds until the first rows of the list have been painted. */
export function timeToRows(page: Page, href: string, heading: string): Promise<number> {
  return page.evaluate(
    async ([href, heading]) => {
      const shown = () =>
        document.querySelector('main h1')?.textContent === heading &&
        document.querySelector('main tbody tr') !== null &&
        document.querySelector('main table[aria-busy="true"]') === null
      const start = performance.now()
      document.querySelector<HTMLAnchorElement>(`a[href="${href}"]`)!.click()
      while (!shown()) {
        if (performance.now() - start > 30_000) throw new Error(`${heading} did not appear`)
        await new Promise(requestAnimationFrame)
      }
      // A message that a frame sends is read after the frame has been painted.
      await new Promise((painted) =>
        requestAnimationFrame(() => {
          const { port1, port2 } = new MessageChannel()
          port1.onmessage = painted
          port2.postMessage(null)
        }),
      )
      return performance.now() - start
    },
    [href, heading] as const,
  )
}

export interface Scrolled {
  rows: number
  frames: number
  /** Frames that should have been there, at 60 in a second. */
  expected: number
}

const PIXELS_PER_SECOND = 6000

/** The same without our code: what the machine can draw. */
export async function showPlainRows(page: Page, rows: number): Promise<void> {
  const row = (_: unknown, at: number) =>
    `<tr style="height: 46px"><td>First${at} Last${at}<td>user${at}<td>user${at}@example.com`
  const lines = Array.from({ length: rows }, row).join('')
  await page.goto('about:blank')
  await page.setContent(`<main><table width="100%"><tbody>${lines}</table></main>`)
}

/** Scrolls through so many rows at an even speed. `box` scrolls; without it the window does. */
export function scrollRows(page: Page, rows: number, box: string | null): Promise<Scrolled> {
  return page.evaluate(
    async ([rows, box, speed]) => {
      const scrolling = box ? document.querySelector(box)! : document.scrollingElement!
      const height = document.querySelector('main tbody tr')!.getBoundingClientRect().height
      const frame = () => new Promise<number>(requestAnimationFrame)
      let last = await frame()
      let [frames, time] = [0, 0]
      while (scrolling.scrollTop + scrolling.clientHeight < rows * height) {
        const now = await frame()
        // Evenly in time: a late frame shows a longer way.
        scrolling.scrollTop += ((now - last) / 1000) * speed
        time += now - last
        last = now
        frames++
        if (time > 300_000) throw new Error(`Only at ${scrolling.scrollTop} after 300 s`)
      }
      return { rows, frames, expected: Math.round((time / 1000) * 60) }
    },
    [rows, box, PIXELS_PER_SECOND] as const,
  )
}
