/** An API process, its own bucket with notifications, the example pages on another origin, and Chromium. */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GetObjectCommand } from '@aws-sdk/client-s3'
import type { uploadSessions } from '@reelkeep/contract'
import { openClient } from '@reelkeep/server/platform/storage/client.ts'
import { ApiProcess, HttpProxy, newCaller, Superuser, setUpUploads, stackEnv, storageOf } from '@reelkeep/testkit'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { serveExamples } from '../../examples/serve.ts'
import { openChromium } from './chromium.ts'

/** `storage`: settings that describe the storage server. */
export async function openUploadFixture(storage: Record<string, string> = {}) {
  await using opening = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'reelkeep-browser-'))
  opening.defer(() => rmSync(folder, { recursive: true, force: true }))

  const bucket = `browser-${randomUUID()}`
  const secret = randomBytes(24).toString('hex')
  const examples = opening.use(await serveExamples({ port: 0, apiUrl: 'http://127.0.0.1:1' }))
  const storageProxy = opening.use(await HttpProxy.open(stackEnv().STORAGE_ENDPOINT))
  const api = opening.use(
    await ApiProcess.start({
      API_ORIGINS: examples.origin,
      STORAGE_PUBLIC_ENDPOINT: storageProxy.url,
      STORAGE_UPLOADS_BUCKET: bucket,
      STORAGE_EVENTS_SECRET: secret,
      ...storage,
    }),
  )
  const allowUploadsFrom = (origin: string) =>
    setUpUploads(stackEnv(), {
      UPLOAD_ORIGINS: origin,
      STORAGE_UPLOADS_BUCKET: bucket,
      STORAGE_EVENTS_URL: api.operationsUrl,
      STORAGE_EVENTS_SECRET: secret,
      ...storage,
    })
  await allowUploadsFrom(examples.origin)
  const caller = await newCaller(api.send)
  const superuser = opening.use(await Superuser.open(stackEnv()))
  const browser = opening.use(await openChromium())

  const fixture = {
    caller,
    origin: examples.origin,
    apiUrl: api.baseUrl,
    /** Proxy between the browser and storage. */
    storageProxy,
    allowUploadsFrom,
    /** The upload page in a new browser context, with the connection fields filled in. */
    async newPage(options: BrowserContextOptions = {}): Promise<Page> {
      const context = await browser.newContext({ colorScheme: 'light', ...options })
      const page = await context.newPage()
      await page.goto(`${examples.origin}/upload.html`)
      await page.getByLabel('API URL').fill(api.baseUrl)
      await page.getByLabel('Organization', { exact: true }).fill(caller.organizationId)
      await page.getByLabel('Token').fill(caller.token)
      return page
    },
    newFile: (name: string, bytes: number) => newFile(folder, name, bytes),
    /** Reads the session that the page shows from the API. */
    async readSession(page: Page) {
      const uuid = await page.locator('#session-uuid').textContent()
      const { body } = await caller.get<uploadSessions.UploadSessionDetails>(`assets/upload-sessions/${uuid}/`)
      return body
    },
    /** Makes the session expire now. */
    expireSession: (uuid: string) =>
      superuser.query('update upload_sessions set expires_at = now() where uuid = $1', [uuid]),
    /** Digest of the session's file in storage. */
    storedDigest: (session: uploadSessions.UploadSessionDetails) =>
      digestOf(bucket, `${caller.organizationId}/${session.asset_id}/${session.uuid}`),
  }
  const open = opening.move()
  return { ...fixture, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

const sha256 = (content: Uint8Array) => createHash('sha256').update(content).digest('hex')

function newFile(folder: string, name: string, bytes: number) {
  const content = randomBytes(bytes)
  const path = join(folder, name)
  writeFileSync(path, content)
  return { path, digest: sha256(content) }
}

async function digestOf(bucket: string, key: string): Promise<string> {
  const env = stackEnv()
  const client = openClient(env.STORAGE_ENDPOINT, storageOf(env))
  try {
    const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }))
    return sha256((await Body?.transformToByteArray()) ?? new Uint8Array())
  } finally {
    client.destroy()
  }
}

export const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
export const waitForText = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()

/** Throttles the upload. Returns a function that removes the limit. */
export async function slowDown(page: Page, bytesPerSecond: number) {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Network.enable')
  await devtools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: bytesPerSecond,
  })
  return () => devtools.detach()
}
