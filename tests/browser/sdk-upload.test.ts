/** `uploads.send` in Chromium, by the file of the SDK that pages load. */
import { readFileSync } from 'node:fs'
import type { assets, uploadSessions } from '@reelkeep/contract'
import { opened } from '@reelkeep/testkit/vitest'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { packSdk } from '../sdk/packed-sdk.ts'
import { openUploadStage } from './upload-stage.ts'

const MEBIBYTE = 1024 ** 2

type Outcome = {
  readonly asset?: assets.Asset
  readonly error?: { readonly name: string; readonly code: string; readonly message: string }
  readonly progress: readonly number[]
}

const sdk = await opened(packSdk())
const code = JSON.stringify(readFileSync(sdk.webFile, 'utf8'))
const stage = await opened(openUploadStage())
const settings = JSON.stringify({
  url: stage.apiUrl,
  organization: stage.caller.organizationId,
  token: stage.caller.token,
})

/** The example's page, which is on the origin that may upload, with the SDK in it and the file chosen. */
async function openPage(path: string): Promise<Page> {
  // The page allows no scripts but its own.
  const page = await stage.newPage({ bypassCSP: true })
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
  const { body } = await stage.caller.get<Sessions>(sessions)
  const session = body.results.find(({ asset_id }) => asset_id === asset?.id)
  expect(session && (await stage.storedDigest(session))).toBe(digest)
}

describe('in a page', () => {
  it('a small file goes by the form', async () => {
    const { path, digest } = stage.newFile('small.mp4', 8 * MEBIBYTE)
    await expectStored(await upload(await openPage(path)), digest, 8 * MEBIBYTE)
  })

  it('a larger one goes in parts, over a line that is cut', async () => {
    const { path, digest } = stage.newFile('large.mp4', 40 * MEBIBYTE)
    const page = await openPage(path)
    const uploading = upload(page)
    await page.waitForFunction(`globalThis.progress?.at(-1) > ${5 * MEBIBYTE}`)
    stage.line.cut()
    setTimeout(() => stage.line.mend(), 500)
    await expectStored(await uploading, digest, 40 * MEBIBYTE)
  })

  it('one connection that is dropped before its first byte is not the end', async () => {
    const { path, digest } = stage.newFile('dropped.mp4', 8 * MEBIBYTE)
    const page = await openPage(path)
    let dropped = 0
    await page.route(`${stage.line.url}/**`, (route) =>
      dropped++ === 0 ? route.abort('connectionreset') : route.continue(),
    )
    await expectStored(await upload(page), digest, 8 * MEBIBYTE)
    expect(dropped).toBeGreaterThan(1)
  })

  it('what `onProgress` throws ends the upload, and is told', async () => {
    const page = await openPage(stage.newFile('thrown.mp4', 8 * MEBIBYTE).path)
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

  it('is told when storage takes nothing from its origin', async () => {
    await stage.allowUploadsFrom('https://studio.example')
    try {
      const { path } = stage.newFile('foreign.mp4', MEBIBYTE)
      const { error } = await upload(await openPage(path))
      expect(error).toMatchObject({ name: 'StorageError', code: 'OriginNotAllowed' })
      expect(error?.message).toContain(`takes nothing from pages of ${stage.origin}`)
    } finally {
      await stage.allowUploadsFrom(stage.origin)
    }
  })
})
