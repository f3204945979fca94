/** The states of the dialog that shares a video. */
import type { Page } from 'playwright-core'
import type { NewAccessToken } from 'reelkeep'
import type { LibraryFixture } from '../library-data.ts'
import { oncePerFixture, press, type State, type States } from './state.ts'
import { film } from './video.ts'

/** A link that was created once, so that the list of links does not grow with each screenshot. */
const links = oncePerFixture(async () => new Map<string, Promise<NewAccessToken>>())

async function newLink(fixture: LibraryFixture, id: string): Promise<NewAccessToken> {
  const created = await links(fixture)
  const body = { viewer_id: 'customer-42', expires_in_seconds: 7 * 86_400 }
  const link = created.get(id) ?? fixture.client.accessTokens.create(id, body)
  created.set(id, link)
  return link
}

const share = (then: (page: Page) => Promise<unknown> = async () => {}, change: object = {}): State =>
  film(async (page, fixture, id) => {
    await page.route(`**/assets/${id}/access-tokens/`, async (route) => {
      if (route.request().method() !== 'POST') return route.fallback()
      await route.fulfill({ status: 201, json: { ...(await newLink(fixture, id)), ...change } })
    })
    await page.keyboard.press('s')
    await page.getByRole('dialog', { name: 'Share video' }).getByText('Press team').waitFor()
    await then(page)
  })

async function createLink(page: Page): Promise<void> {
  await press(page, 'Create link')
  await page.getByText('The link is ready').waitFor()
}

const withCode = (name: string) =>
  share(async (page) => {
    await createLink(page)
    await press(page, name)
  })

export const shareStates: States = {
  share: share(),
  'share-link': share(createLink),
  'share-web-component': withCode('Web component'),
  'share-react': withCode('React'),
  'share-sites': share(
    async (page) => {
      await page.getByLabel('Allowed sites (optional)').fill('www.example.com')
      await createLink(page)
    },
    { referrers: ['www.example.com'] },
  ),
}
