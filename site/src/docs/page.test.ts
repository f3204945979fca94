import { describe, expect, it } from 'vitest'
import { toPage } from './page.ts'
import { accessibleTables } from './tables.ts'

const urls: Record<string, string> = {
  'docs/guides/events.md': '/docs/guides/events/',
  'README.md': '/docs/quickstart/',
}
const bodyOf = (text: string) => toPage('docs/guides/webhooks.md', `# Webhooks\n\n${text}\n`, (path) => urls[path]).body

describe('a page of the site', () => {
  it('has the first heading as its title, and not in its text', () => {
    const page = toPage(
      'docs/guides/a.md',
      '<!-- note -->\n\n# Webhooks\n\nEvents for `your` server.\n',
      () => undefined,
    )
    expect(page).toMatchObject({ title: 'Webhooks', description: 'Events for your server.' })
    expect(page.body).not.toContain('# Webhooks')
  })

  it.each([
    ['a page', '[events](events.md)', '[events](/docs/guides/events/)'],
    ['a heading', '[log](events.md#read-the-log)', '[log](/docs/guides/events/#read-the-log)'],
    ['a heading of the same page', '[test](#test)', '[test](#test)'],
    ['a file name', '[events.md](events.md)', '[events](/docs/guides/events/)'],
    ['a page outside of docs', '[README](../../README.md)', '[README](/docs/quickstart/)'],
    ['another site', '[spec](https://example.org/)', '[spec](https://example.org/)'],
    ['a file that is not published', '[`upload.html`](../../examples/upload.html)', '`upload.html`'],
    ['an image', '![The page](page.png)', '![The page](/docs/guides/page.png)'],
    ['an image element', '<img src="page.png" alt="">', '<img src="/docs/guides/page.png" alt="">'],
  ])('has links for the site: %s', (_, text, expected) => {
    expect(bodyOf(text).trim()).toBe(expected)
  })

  it('keeps code as it is', () => {
    const code = '```md\n[events](events.md)\n```\n\nWrite `[events](events.md)`.'
    expect(bodyOf(code).trim()).toBe(code)
  })
})

describe('the tables of a page', () => {
  it('scroll in a box that the keyboard can reach', () => {
    expect(accessibleTables('<table><tbody></tbody></table>')).toBe(
      '<div class="table-box" role="region" tabindex="0" aria-label="Table 1"><table><tbody></tbody></table></div>',
    )
  })

  it('have no empty headers', () => {
    const html = '<table><thead><tr><th></th><th></th></tr></thead></table><th></th><th>a</th>'
    expect(accessibleTables(html)).not.toMatch(/<th><\/th>|<thead>/)
  })
})
