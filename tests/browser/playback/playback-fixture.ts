/** An API process, a worker and Chromium. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setOpen } from '@reelkeep/server/modules/organizations/organizations.ts'
import {
  ApiProcess,
  Caller,
  newOrganization,
  openOwner,
  resetDatabase,
  stackEnv,
  WorkerProcess,
  withDatabase,
} from '@reelkeep/testkit'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { isCompleted, uploadVideo, waitForVideo } from '../../media/media-fixture.ts'
import { openChromium } from '../chromium.ts'
import { chaptersWithin, FILM_SECONDS, filmSubtitles, makeFilm } from './film.ts'

export type Protection = 'disable' | 'aes' | 'drm'

export type FixtureVideo = {
  readonly caller: Caller
  readonly assetId: string
  /** URL of the hosted embed page. */
  readonly pageUrl: string
}

const PROCESSING_SECONDS_MAX = 240

/** Uses its own database, because a worker runs every job in its database. */
export async function openPlaybackFixture(name: string, seconds = FILM_SECONDS) {
  await using opening = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'reelkeep-playback-'))
  opening.defer(() => rm(folder, { recursive: true, force: true }))
  const env = withDatabase(stackEnv(), name)
  await resetDatabase(env)
  const api = opening.use(await ApiProcess.start({}, env))
  const owner = opening.use(openOwner(env))
  opening.use(await WorkerProcess.start({ env }))
  const browser = opening.use(await openChromium())
  const { organizationId, token } = await newOrganization(owner)
  await setOpen(owner.forOrganization(organizationId), true)
  const caller = new Caller(api.send, organizationId, token)
  let film: Promise<string> | undefined

  const fixture = {
    env,
    api,
    caller,
    owner,
    pageUrlOf: (assetId: string) => `${api.baseUrl}/embed/${organizationId}/${assetId}/`,
    /** Uploads and processes a test film with chapters and captions. */
    async newVideo(protection: Protection): Promise<FixtureVideo> {
      film ??= makeFilm(folder, seconds)
      const assetId = await uploadVideo(caller, await film, {
        title: 'A day in the hills',
        resolutions: ['240p', '480p'],
        content_protection_type: protection,
      })
      await waitForVideo(caller, assetId, isCompleted, PROCESSING_SECONDS_MAX)
      await caller.post(`assets/${assetId}/chapters/`, { chapters: chaptersWithin(seconds) })
      await caller.post(`assets/${assetId}/subtitles/`, { language: 'en', content: filmSubtitles })
      return { caller, assetId, pageUrl: fixture.pageUrlOf(assetId) }
    },
    async newPage(options: BrowserContextOptions = {}): Promise<Page> {
      const context = await browser.newContext({
        viewport: { width: 960, height: 540 },
        ...options,
      })
      return context.newPage()
    },
  }
  const open = opening.move()
  return { ...fixture, [Symbol.asyncDispose]: () => open.disposeAsync() }
}
