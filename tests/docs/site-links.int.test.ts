/** Checks the built site: every link leads to a page and to an element on it, and nothing is loaded from elsewhere. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { errorCodes } from '@reelkeep/contract'
import { describe, expect, it } from 'vitest'
import { buildSite, builtPages, siteFolder } from './built-site.ts'

buildSite()

/** The tags of a page. The attribute of a copy button is left out: it contains its sample, which may be HTML. */
const tagsOf = (html: string) => html.replace(/ data-code="[^"]*"/g, '').match(/<[a-z][^<>]*>/g) ?? []

const pages = builtPages().map((path) => ({ path, tags: tagsOf(readFileSync(join(siteFolder, path), 'utf8')) }))

const idsOf = new Map(
  pages.map(({ path, tags }) => [path, new Set(tags.flatMap((tag) => / id="([^"]+)"/.exec(tag)?.[1] ?? []))]),
)

type Link = { readonly page: string; readonly target: string }

const linksIn = (attribute: string): Link[] =>
  pages.flatMap(({ path, tags }) =>
    tags.flatMap((tag) => {
      const [, target] = new RegExp(`\\s${attribute}="([^"]*)"`).exec(tag) ?? []
      return target === undefined ? [] : [{ page: path, target }]
    }),
  )

const isExternal = ({ target }: Link) => /^(https?:)?\/\//.test(target) || target.startsWith('data:')

/** The file that the link leads to, or undefined if there is none. */
function fileOf({ page, target }: Link): string | undefined {
  const [path = ''] = target.split(/[#?]/)
  if (path === '') return page
  if (!path.startsWith('/docs/')) return undefined
  const file = path.slice('/docs/'.length)
  const candidates = file === '' || file.endsWith('/') ? [`${file}index.html`] : [file]
  return candidates.find((name) => existsSync(join(siteFolder, name)) && statSync(join(siteFolder, name)).isFile())
}

function isBroken(link: Link): boolean {
  const file = fileOf(link)
  if (file === undefined) return true
  const fragment = decodeURIComponent(link.target.split('#')[1] ?? '')
  return fragment !== '' && fragment !== '_top' && !idsOf.get(file)?.has(fragment)
}

describe('the built site', () => {
  const links = [...linksIn('href'), ...linksIn('src')]

  it('has no broken link, and no link to a missing heading', () => {
    const internal = links.filter((link) => !isExternal(link))
    process.stdout.write(
      `pages: ${pages.length}; links: ${internal.length} internal, ${links.length - internal.length} other\n`,
    )
    expect(internal.length).toBeGreaterThan(5000)
    expect(internal.filter(isBroken).map(({ page, target }) => `${page}: ${target}`)).toEqual([])
  })

  it('loads scripts, styles and images from its own origin only, and has no inline script', () => {
    const loaded = pages.flatMap(({ tags }) => tags.filter((tag) => /^<(script|img|link|iframe|video)\b/.test(tag)))
    expect(loaded.filter((tag) => /\s(src|href)="(https?:)?\/\//.test(tag))).toEqual([])
    expect(loaded.filter((tag) => tag.startsWith('<script') && !tag.includes(' src="'))).toEqual([])
  })

  it('has a page for every error code', () => {
    const missing = errorCodes.filter((code) => !existsSync(join(siteFolder, `errors/${code}/index.html`)))
    expect(missing).toEqual([])
  })
})
