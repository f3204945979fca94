/** Measures the cost of a page of the dashboard with the tools of Chromium. */
import type { Browser, Page } from 'playwright-core'

type TraceEvent = {
  readonly name: string
  readonly ph: string
  readonly tid: number
  /** CPU time in microseconds. */
  readonly tdur?: number
  readonly args?: { readonly name?: string }
}

export type Tasks = { readonly count: number; readonly longestMs: number; readonly p99Ms: number }

/**
 * CPU time of the tasks of the page's main thread during an action. Other load on the machine lengthens a task, but not
 * its CPU time.
 */
export async function tasksDuring(browser: Browser, page: Page, action: () => Promise<void>): Promise<Tasks> {
  await browser.startTracing(page, { categories: ['toplevel', '__metadata'] })
  await action()
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] }
  const main = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ tid }) => tid),
  )
  const milliseconds = traceEvents
    .filter(({ name, ph, tid }) => ph === 'X' && main.has(tid) && name === 'ThreadControllerImpl::RunTask')
    .map(({ tdur = 0 }) => tdur / 1000)
    .sort((a, b) => a - b)
  if (milliseconds.length === 0) throw new Error('The trace contains no tasks of the page.')
  return { count: milliseconds.length, longestMs: milliseconds.at(-1) ?? 0, p99Ms: quantile(milliseconds, 0.99) }
}

/** The quantile of sorted numbers, such as the median for a share of 0.5. */
export const quantile = (sorted: readonly number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

/** Memory of the page's script after a collection, and elements in the document. */
export async function memoryOf(page: Page): Promise<{ readonly heapMb: number; readonly elements: number }> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  const elements = await page.evaluate<number>('document.querySelectorAll("*").length')
  await session.detach()
  return { heapMb: usedSize / 1024 ** 2, elements }
}

/** Time from the start of the navigation until the selector is in the document, without the time of the observer. */
export async function firstView(page: Page, url: string, selector: string, slowdown: number): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  await page.addInitScript(`
    new MutationObserver((_, observer) => {
      if (!document.querySelector(${JSON.stringify(selector)})) return
      observer.disconnect()
      requestAnimationFrame(() => { window.firstViewAt = performance.now() })
    }).observe(document, { childList: true, subtree: true })`)
  await page.goto(url)
  await page.locator(selector).first().waitFor({ state: 'attached' })
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
  await session.send('Emulation.setCPUThrottlingRate', { rate: 1 })
  return page.evaluate<number>('window.firstViewAt')
}
