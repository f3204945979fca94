/** A service with a worker, films with numbered frames, and pages with its player. */
import { setOpen } from '@reelkeep/server/modules/organizations/organizations.ts'
import { openOwner } from '@reelkeep/testkit'
import type { Page } from 'playwright-core'
import { openLibraryFixture } from '../dashboard/library-data.ts'
import { makeNumberedFilm, type NumberedFilm } from './numbered-film.ts'

/** `database` is a name that no other test uses. */
export async function openFrameFixture(database: string) {
  await using opening = new AsyncDisposableStack()
  const fixture = opening.use(await openLibraryFixture(database))
  const { client, env, folder, newPage, organizationId, origin } = fixture
  {
    await using owner = openOwner(env)
    await setOpen(owner.forOrganization(organizationId), true)
  }
  const open = opening.move()
  return {
    ...fixture,
    [Symbol.asyncDispose]: () => open.disposeAsync(),

    /** Uploads and processes a film. */
    async upload(film: NumberedFilm) {
      const path = await makeNumberedFilm(folder, film)
      const { id } = await client.uploads.send(path, { title: film.name, resolutions: ['240p'] })
      await client.assets.waitUntilCompleted(id)
      const { frame_rate: rate, frame_count: count } = await client.assets.readFrames(id, { around: 0 })
      if (!rate || count === null) throw new Error(`${film.name} was not probed.`)
      return { id, count, rate: rate.numerator / rate.denominator }
    },

    /** `link` is a query or a fragment. */
    async openPlayer(id: string, link = ''): Promise<Page> {
      const { page } = await newPage({ viewport: { width: 960, height: 540 } })
      await page.goto(`${origin}/embed/${organizationId}/${id}/${link}`)
      await page.locator('.frame[data-state=ready]').waitFor()
      return page
    },
  }
}

export const inPlayer = (page: Page, call: string) =>
  page.evaluate(`void document.querySelector('reelkeep-player').${call}`)

/** An order in which no two neighbors follow each other; always the same. */
export const mixed = <T>(items: readonly T[]): T[] =>
  items
    .map((item, index) => ({ item, key: (index * 7919) % 31 }))
    .toSorted((one, other) => one.key - other.key)
    .map(({ item }) => item)
