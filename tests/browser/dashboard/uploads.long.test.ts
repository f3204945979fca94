/** Uploads in the dashboard, with real files, storage and API. */
import { opened } from '@reelkeep/testkit/vitest'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { slowDown } from '../upload-fixture.ts'
import { dropFiles, openUploadsFixture, rowOf } from './uploads-fixture.ts'

const MEBIBYTE = 1024 ** 2
const UPLOADED = 'Uploaded, waiting for processing'

const fixture = await opened(openUploadsFixture('dashboard_uploads'))

const uploaded = (page: Page, name: string) => rowOf(page, name).getByText(UPLOADED).waitFor()
const titles = async (query: string) => (await fixture.assets(query)).map(({ title }) => title).toSorted()

describe('files that are dropped on a page', () => {
  it('are uploaded, with progress, speed and time left', async () => {
    const page = await fixture.openPage()
    const { path } = fixture.newFile('dropped film.mp4', 24 * MEBIBYTE)
    const speedUp = await slowDown(page, 2 * MEBIBYTE)
    await dropFiles(page, path)
    await rowOf(page, 'dropped film.mp4')
      .getByText(/MB of 25 MB · .* MB\/s · \d+ seconds? left/)
      .waitFor()
    const bar = page.getByRole('progressbar', { name: 'Upload of dropped film.mp4' })
    expect(Number(await bar.getAttribute('aria-valuenow'))).toBeGreaterThan(0)
    await speedUp()
    await uploaded(page, 'dropped film.mp4')
    expect(await titles('q=dropped')).toEqual(['dropped film'])
    await page.context().close()
  })
})
