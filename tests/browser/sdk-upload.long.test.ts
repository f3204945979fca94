/** `uploads.send` of the browser build of the SDK in Chromium. */
import { readFileSync } from 'node:fs'
import type { assets, uploadSessions } from '@reelkeep/contract'
import { opened } from '@reelkeep/testkit/vitest'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { packSdk } from '../sdk/packed-sdk.ts'
import { openUploadFixture } from './upload-fixture.ts'

const MEBIBYTE = 1024 ** 2

type Outcome = {
  readonly asset?: assets.Asset
  readonly error?: { readonly name: string; readonly code: string; readonly message: string }
  readonly progress: readonly number[]
}

const sdk = await opened(packSdk())
const code = JSON.stringify(readFileSync(sdk.webFile, 'utf8'))
const fixture = await opened(openUploadFixture())
const settings = JSON.stringify({
  url: fixture.apiUrl,
  organization: fixture.caller.organizationId,
  token: fixture.caller.token,
})

/** Opens the upload page, whose origin may upload; loads the SDK into the page and chooses the file. */
async function openPage(path: string): Promise<Page> {
  // The page's CSP allows only its own scripts.
  const page = await fixture.newPage({ bypassCSP: true })
  await page.evaluate(`import(URL.createObjectURL(new Blob([${code}], { type: 'text/javascript' })))
    .then(({ Reelkeep }) => { globalThis.client = new Reelkeep(${settings}) })`)
  await page.getByLabel('Video file').setInputFiles(path)
  return page
}

const upload = (page: Page) =>
  page.evaluate<Outcome>(`(() => {
    const progress = (globalThis.progress = [])
    const [file] = document.querySelector('input[type=file]').files
    const onProgress = ({ sentBytes }) => progress.push(sentBytes)
    return client.uploads.send(file, { resolutions: ['360p'] }, { onProgress }).then(
      (asset) => ({ asset, progress }),
      ({ name, code, message }) => ({ error: { name, code, message }, progress }),
    )
  })()`)

async function expectStored({ asset, error, progress }: Outcome, digest: string, bytes: number) {
  expect(error).toBeUndefined()
  expect(asset).toMatchObject({ bytes })
  expect(progress).toEqual(progress.toSorted((one, other) => one - other))
  expect(progress.at(-1)).toBe(bytes)
  const sessions = 'assets/upload-sessions/?limit=100'
  type Sessions = { results: uploadSessions.UploadSessionDetails[] }
  const { body } = await fixture.caller.get<Sessions>(sessions)
  const session = body.results.find(({ asset_id }) => asset_id === asset?.id)
  expect(session && (await fixture.storedDigest(session))).toBe(digest)
}

describe('uploads.send in a browser page', () => {
  it('uploads a small file with the form', async () => {
    const { path, digest } = fixture.newFile('small.mp4', 8 * MEBIBYTE)
    await expectStored(await upload(await openPage(path)), digest, 8 * MEBIBYTE)
  })

  it('uploads a larger file in parts and survives a connection failure', async () => {
    const { path, digest } = fixture.newFile('large.mp4', 40 * MEBIBYTE)
    const page = await openPage(path)
    const uploading = upload(page)
    await page.waitForFunction(`globalThis.progress?.at(-1) > ${5 * MEBIBYTE}`)
    fixture.storageProxy.disable()
    setTimeout(() => fixture.storageProxy.enable(), 500)
    await expectStored(await uploading, digest, 40 * MEBIBYTE)
  })

  it('retries when a connection is dropped before the first byte', async () => {
    const { path, digest } = fixture.newFile('dropped.mp4', 8 * MEBIBYTE)
    const page = await openPage(path)
    let dropped = 0
    await page.route(`${fixture.storageProxy.url}/**`, (route) =>
      dropped++ === 0 ? route.abort('connectionreset') : route.continue(),
    )
    await expectStored(await upload(page), digest, 8 * MEBIBYTE)
    expect(dropped).toBeGreaterThan(1)
  })

  it('rejects with the error that `onProgress` throws', async () => {
    const page = await openPage(fixture.newFile('thrown.mp4', 8 * MEBIBYTE).path)
    const uncaught: Error[] = []
    page.on('pageerror', (error) => uncaught.push(error))
    const outcome = await page.evaluate(`(() => {
      const [file] = document.querySelector('input[type=file]').files
      let calls = 0
      const onProgress = () => { calls++; throw new RangeError('of the page') }
      return client.uploads.send(file, { resolutions: ['360p'] }, { onProgress }).then(
        () => 'uploaded',
        ({ name, message }) => ({ name, message, calls }),
      )
    })()`)
    expect(outcome).toEqual({ name: 'RangeError', message: 'of the page', calls: 1 })
    expect(uncaught).toEqual([])
  })

  it('rejects with OriginNotAllowed when storage does not allow the origin', async () => {
    await fixture.allowUploadsFrom('https://studio.example')
    try {
      const { path } = fixture.newFile('foreign.mp4', MEBIBYTE)
      const { error } = await upload(await openPage(path))
      expect(error).toMatchObject({ name: 'StorageError', code: 'OriginNotAllowed' })
      expect(error?.message).toContain(`does not accept uploads from pages of ${fixture.origin}`)
    } finally {
      await fixture.allowUploadsFrom(fixture.origin)
    }
  })
})
