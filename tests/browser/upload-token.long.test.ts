/** The backend and the page of docs/guides/uploading.md, unchanged, in Chromium: the page has no API token. */
import { spawn } from 'node:child_process'
import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { uploadSessions } from '@reelkeep/contract'
import { freePort, openSession, stopChild } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { samplesIn } from '../docs/samples.ts'
import { packSdk } from '../sdk/packed-sdk.ts'
import { accessibilityViolations } from './accessibility.ts'
import { openUploadFixture, slowDown, waitForText } from './upload-fixture.ts'

const MEBIBYTE = 1024 ** 2
const PART_BYTES = 16 * MEBIBYTE
const SESSIONS = 'assets/upload-sessions/'

const port = await freePort()
const origin = `http://127.0.0.1:${port}`
const sdk = await opened(packSdk())
const fixture = await opened(openUploadFixture({ API_ORIGINS: origin, UPLOAD_ORIGINS: origin }))
const { caller } = fixture
await startBackend()

async function startBackend(): Promise<void> {
  for (const { file, code } of samplesIn('docs/guides/uploading.md')) {
    if (file !== undefined) writeFileSync(join(sdk.folder, file), code)
  }
  const env = {
    REELKEEP_URL: fixture.apiUrl,
    REELKEEP_ORGANIZATION: caller.organizationId,
    REELKEEP_TOKEN: caller.token,
    PORT: String(port),
  }
  const child = spawn(process.execPath, ['backend.mjs'], {
    cwd: sdk.folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  afterAll(async () => {
    await stopChild(child)
  })
  await new Promise((resolve) => child.stdout.once('data', resolve))
}

type Details = uploadSessions.UploadSessionDetails
type Upload = { readonly url: string; readonly organization: string; readonly session: string; readonly token: string }

async function openPage(): Promise<Page> {
  const page = await fixture.newPage()
  await page.goto(origin)
  return page
}

const choose = (page: Page, path: string) => page.getByLabel('Video file').setInputFiles(path)

/** Chooses a file and waits until a part of it is being sent. Returns the uuid of the session. */
async function start(page: Page, path: string): Promise<string> {
  await choose(page, path)
  await waitForText(page, /^Uploading/)
  return page.evaluate(() => (JSON.parse(sessionStorage.getItem('upload') ?? '{}') as Upload).session)
}

const readSession = async (uuid: string) => (await caller.get<Details>(`${SESSIONS}${uuid}/`)).body

async function receivedParts(uuid: string): Promise<number> {
  const { status, body } = await caller.get<{ parts: object[] }>(`${SESSIONS}${uuid}/parts/`)
  return status === 200 ? body.parts.length : 0
}

/** The status of a request that a script of the page sends with the upload token. */
const statusInPage = (page: Page, method: string, path: string, body?: object) =>
  page.evaluate(
    async ({ method, path, body }) => {
      const { url, organization, token } = JSON.parse(sessionStorage.getItem('upload') ?? '{}') as Upload
      const response = await fetch(`${url}/api/v1/${organization}/${path}`, {
        method,
        headers: { Authorization: `Bearer ${token}`, ...(body && { 'Content-Type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      })
      return response.status
    },
    { method, path, body },
  )

describe('a page with an upload token', () => {
  it('uploads a file, and resumes after a reload with only the missing parts', async () => {
    const { path, digest } = fixture.newFile('holiday.mp4', 5 * PART_BYTES + MEBIBYTE)
    const page = await openPage()
    expect(await accessibilityViolations(page)).toEqual([])
    await slowDown(page, 8 * MEBIBYTE)
    const session = await start(page, path)
    await expect.poll(() => receivedParts(session), { interval: 50 }).toBeGreaterThan(0)
    await page.reload()
    await waitForText(page, 'Choose holiday.mp4 again to continue its upload.')
    const before = await receivedParts(session)
    expect(before).toBeLessThan(6)
    const sent = new Set<string | null>()
    page.on('request', (request) => {
      if (request.method() === 'PUT') sent.add(new URL(request.url()).searchParams.get('partNumber'))
    })
    expect(await start(page, path)).toBe(session)
    await waitForText(page, 'Thank you. We have received your video.')
    // A part may have arrived after it was counted.
    expect(sent.size).toBeLessThanOrEqual(6 - before)
    const details = await readSession(session)
    expect(details.status).toBe('Completed')
    expect(await fixture.storedDigest(details)).toBe(digest)
  })

  it('cannot do anything else', async () => {
    const page = await openPage()
    await slowDown(page, MEBIBYTE)
    const session = await start(page, fixture.newFile('long.mp4', 2 * PART_BYTES).path)
    const { asset_id: asset } = await readSession(session)
    const other = await openSession(caller)
    const refused: [string, string, object?][] = [
      ['GET', 'assets/'],
      ['GET', `assets/${asset}/`],
      ['DELETE', `assets/${asset}/`],
      ['PATCH', `assets/${asset}/`, { title: 'Mine' }],
      ['POST', `assets/${asset}/access-tokens/`, {}],
      ['GET', SESSIONS],
      ['POST', SESSIONS, { title: 'Another', resolutions: ['240p'] }],
      ['GET', `${SESSIONS}${other.upload_session.uuid}/`],
      ['DELETE', `${SESSIONS}${other.upload_session.uuid}/`],
      ['POST', 'tokens/', { name: 'Mine', scopes: ['assets:read'] }],
      ['GET', 'tokens/current/'],
      ['GET', 'events/'],
    ]
    for (const [method, path, body] of refused)
      expect(await statusInPage(page, method, path, body), `${method} ${path}`).toBe(403)
    expect(await statusInPage(page, 'GET', `${SESSIONS}${session}/`)).toBe(200)
    const stored = await page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }))
    expect(stored).toContain('rlku_')
    expect(stored).not.toContain(caller.token)
  })

  it('shows why a file that is too large is refused', async () => {
    const { path } = fixture.newFile('huge.mp4', 1)
    truncateSync(path, 2 * 1024 ** 3 + 1)
    const page = await openPage()
    await choose(page, path)
    await waitForText(page, /accepts at most 2147483648 bytes/)
  })

  it('cancels the upload', async () => {
    const page = await openPage()
    await slowDown(page, MEBIBYTE)
    const session = await start(page, fixture.newFile('unwanted.mp4', 2 * PART_BYTES).path)
    await page.getByRole('button', { name: 'Cancel the upload' }).click()
    await waitForText(page, 'The upload was cancelled.')
    expect((await readSession(session)).status).toBe('Cancelled')
  })

  it('starts again if the session has ended since', async () => {
    const { path } = fixture.newFile('late.mp4', MEBIBYTE)
    const page = await openPage()
    const restoreSpeed = await slowDown(page, 100_000)
    const session = await start(page, path)
    await page.reload()
    await caller.delete(`${SESSIONS}${session}/`)
    await choose(page, path)
    await waitForText(page, 'The upload has expired. Choose the file again to start from the beginning.')
    await restoreSpeed()
    await choose(page, path)
    await waitForText(page, 'Thank you. We have received your video.')
  })
})
