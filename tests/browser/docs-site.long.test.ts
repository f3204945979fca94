/** The documentation site in Chromium, as the API serves it: accessibility, search, content security policy. */
import { ApiProcess } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { buildSite, builtPages } from '../docs/built-site.ts'
import { accessibilityViolations } from './accessibility.ts'
import { openChromium } from './chromium.ts'

buildSite()
const api = await opened(ApiProcess.start())
const browser = await openChromium()

/** Each test opens all pages. */
const ALL_PAGES_MILLISECONDS_MAX = 600_000
afterAll(() => browser.close())

/** All pages. The pages of error codes differ only in two sentences, so one of them is enough. */
const isOtherError = (path: string) => path.startsWith('errors/') && !path.startsWith('errors/unknown_field/')
const paths = builtPages()
  .filter((path) => !isOtherError(path))
  .map((path) => path.replace(/(^|\/)index\.html$/, '$1'))

/** Opens pages and records requests to other origins and everything that the browser blocks or reports as an error. */
async function newPage(options: { readonly colorScheme?: 'light' | 'dark'; readonly width?: number } = {}) {
  const page = await browser.newPage({
    colorScheme: options.colorScheme ?? 'light',
    viewport: { width: options.width ?? 1440, height: 900 },
  })
  const problems: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(`${page.url()}: ${message.text()}`)
  })
  page.on('pageerror', (error) => problems.push(`${page.url()}: ${error.message}`))
  page.on('request', (request) => {
    if (!request.url().startsWith(`${api.baseUrl}/docs/`)) problems.push(`${page.url()}: requests ${request.url()}`)
  })
  return { page, problems, [Symbol.asyncDispose]: () => page.close() }
}

const open = (page: Page, path: string) => page.goto(`${api.baseUrl}/docs/${path}`, { waitUntil: 'load' })

async function search(page: Page, text: string): Promise<string[]> {
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByRole('dialog').locator('input').fill(text)
  const results = page.locator('.pagefind-ui__result-title a')
  await results.first().waitFor()
  return Promise.all((await results.all()).map(async (link) => (await link.getAttribute('href')) ?? ''))
}

describe('the documentation site', () => {
  it.each([
    ['light', 1440],
    ['dark', 1440],
    ['light', 390],
  ] as const)(
    'has no accessibility violations in %s, %i pixels wide, and no blocked or foreign request',
    async (colorScheme, width) => {
      await using fixture = await newPage({ colorScheme, width })
      const violations: string[] = []
      for (const path of paths) {
        await open(fixture.page, path)
        for (const violation of await accessibilityViolations(fixture.page)) violations.push(`${path}: ${violation}`)
      }
      process.stdout.write(`pages checked by axe in ${colorScheme} at ${width} pixels: ${paths.length}\n`)
      expect(violations).toEqual([])
      expect(fixture.problems).toEqual([])
    },
    ALL_PAGES_MILLISECONDS_MAX,
  )

  it.each([
    ['webhook signature', '/docs/guides/webhooks/'],
    ['resume upload', '/docs/guides/uploading/'],
    ['move from mux', '/docs/tutorials/move-from-mux/'],
  ])('finds the guide first for "%s"', async (text, guide) => {
    await using fixture = await newPage()
    await open(fixture.page, '')
    const [first] = await search(fixture.page, text)
    expect(first).toMatch(new RegExp(`^${guide}`))
    expect(fixture.problems).toEqual([])
  })

  it('changes to dark mode and keeps it on the next page', async () => {
    await using fixture = await newPage()
    const { page } = fixture
    await open(page, 'guides/webhooks/')
    await page.getByLabel('Select theme').first().selectOption('dark')
    await open(page, 'guides/events/')
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
  })
})
