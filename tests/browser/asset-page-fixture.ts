/** An API process, a worker, the example pages on another origin, and Chromium. */
import { execFile } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import {
  ApiProcess,
  Caller,
  newOrganization,
  openOwner,
  resetDatabase,
  setUpUploads,
  stackEnv,
  WorkerProcess,
  withDatabase,
} from '@reelkeep/testkit'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { serveExamples } from '../../examples/serve.ts'
import { openChromium } from './chromium.ts'

const run = promisify(execFile)

/** Uses its own database, because a worker runs every job in its database. */
export async function openAssetPageFixture() {
  await using opening = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'reelkeep-asset-page-'))
  opening.defer(() => rm(folder, { recursive: true, force: true }))
  const env = withDatabase(stackEnv(), 'asset_page')
  await resetDatabase(env)

  const buckets = {
    STORAGE_UPLOADS_BUCKET: `asset-page-${randomUUID()}`,
    STORAGE_MEDIA_BUCKET: `asset-page-media-${randomUUID()}`,
  }
  const secret = randomBytes(24).toString('hex')
  const examples = opening.use(await serveExamples({ port: 0, apiUrl: 'http://127.0.0.1:1' }))
  const settings = { ...buckets, STORAGE_EVENTS_SECRET: secret }
  const api = opening.use(await ApiProcess.start({ ...settings, API_ORIGINS: examples.origin }, env))
  await setUpUploads(env, {
    ...settings,
    UPLOAD_ORIGINS: examples.origin,
    STORAGE_EVENTS_URL: api.operationsUrl,
  })
  opening.use(await WorkerProcess.start({ settings, env }))
  const owner = opening.use(openOwner(env))
  const { organizationId, token } = await newOrganization(owner)
  const browser = opening.use(await openChromium())

  const fixture = {
    caller: new Caller(api.send, organizationId, token),
    folder,
    apiUrl: api.baseUrl,
    origin: examples.origin,
    /** The upload page in a new browser context, with the connection fields filled in. */
    async newPage(options: BrowserContextOptions = {}): Promise<Page> {
      const context = await browser.newContext({ colorScheme: 'light', ...options })
      const page = await context.newPage()
      await page.goto(`${examples.origin}/upload.html`)
      await page.getByLabel('API URL').fill(api.baseUrl)
      await page.getByLabel('Organization', { exact: true }).fill(organizationId)
      await page.getByLabel('Token').fill(token)
      return page
    },
  }
  const open = opening.move()
  return { ...fixture, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

/** Colors of the test video, like northern lights. */
const colors = ['0x0b1030', '0x2dd4a7', '0x123a6b', '0x7a5cff', '0x0b1030']
  .map((color, index) => `c${index}=${color}`)
  .join(':')

/** Generates a test video and returns its path. The frames are rendered small, because rendering is slow. */
export async function makeFilm(folder: string, name: string, seconds: number): Promise<string> {
  const path = join(folder, name)
  const sky = `gradients=size=160x90:rate=30:duration=${seconds}:speed=0.02:nb_colors=5:${colors}:seed=7`
  const videoSource = `${sky},scale=640:360:flags=bicubic,gblur=sigma=6`
  const audioSource = `sine=frequency=330:sample_rate=48000:duration=${seconds}`
  const inputs = ['-f', 'lavfi', '-i', videoSource, '-f', 'lavfi', '-i', audioSource]
  const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac']
  await run('ffmpeg', ['-v', 'error', ...inputs, ...codecs, path])
  return path
}
