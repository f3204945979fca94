/** `examples/upload.html`, served from another origin than the service and storage. */
import type { uploadSessions } from '@reelkeep/contract'
import { partsOnly } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { accessibilityViolations } from './accessibility.ts'
import { openUploadFixture, press, slowDown, waitForText } from './upload-fixture.ts'

const MEBIBYTE = 1024 ** 2

const fixture = await opened(openUploadFixture())

const chooseFile = (page: Page, path: string) => page.getByLabel('Video file').setInputFiles(path)
const expectHistory = (page: Page, text: string) =>
  page.getByRole('list', { name: 'Activity' }).getByText(text).waitFor()
const bytesSent = (page: Page) => page.getByRole('progressbar', { name: 'Bytes sent' })

/** Whether the element is completely visible without scrolling. */
const isInView = (page: Page, selector: string) =>
  page.locator(selector).evaluate((shownElement) => {
    const { top, bottom } = shownElement.getBoundingClientRect()
    return top >= 0 && bottom <= shownElement.ownerDocument.documentElement.clientHeight
  })

describe('a form upload', () => {
  it('shows progress and all states, and stores the file unchanged', async () => {
    const file = fixture.newFile('Lecture 1.mp4', 12 * MEBIBYTE)
    const page = await fixture.newPage()
    await chooseFile(page, file.path)
    expect(await page.getByLabel('Title').inputValue()).toBe('Lecture 1')
    const speedUp = await slowDown(page, MEBIBYTE)
    await press(page, 'Upload')

    await expectHistory(page, 'Session Created')
    expect(await isInView(page, '#progress')).toBe(true)
    await waitForText(page, /Deadline: \w+day, /)
    await waitForText(page, /of 12\.6 MB \([1-9]\d? %\) · .* [kM]B\/s · .* left/)
    const value = Number(await bytesSent(page).getAttribute('value'))
    expect(value).toBeGreaterThan(0)
    expect(value).toBeLessThanOrEqual(100)
    await speedUp()

    await expectHistory(page, 'Session Completed')
    await expectHistory(page, 'Video Queued')
    const history = page.getByRole('list', { name: 'Activity' }).getByRole('listitem')
    const states = (await history.allTextContents()).map((line) => line.replace(/^.*?M /, ''))
    expect(states).toEqual(['Session Created', 'Video Not Started', 'Session Completed', 'Video Queued'])
    await waitForText(page, '12.6 MB of 12.6 MB (100 %)')
    await page.getByRole('heading', { name: 'Upload complete' }).waitFor()
    const timeline = page.getByRole('list', { name: 'Timeline' })
    await timeline.getByText('12,582,912 bytes').waitFor()
    const session = await fixture.readSession(page)
    expect(session.status).toBe('Completed')
    expect(await fixture.storedDigest(session)).toBe(file.digest)
  })

  it('can be cancelled together with its session', async () => {
    const file = fixture.newFile('cancelled.mp4', 12 * MEBIBYTE)
    const page = await fixture.newPage()
    await chooseFile(page, file.path)
    await slowDown(page, MEBIBYTE)
    await press(page, 'Upload')
    await waitForText(page, /\([1-9]\d? %\)/)
    await press(page, 'Cancel')
    await expectHistory(page, 'Session Cancelled')
    await page.getByRole('heading', { name: 'Upload cancelled' }).waitFor()
    expect(await page.locator('#progress-text').textContent()).not.toMatch(/\/s|left/)
    expect((await fixture.readSession(page)).status).toBe('Cancelled')
    expect(await page.getByRole('button', { name: 'Try again' }).isVisible()).toBe(false)
  })

  it('is retried in the same session after a connection failure', async () => {
    const file = fixture.newFile('again.mp4', 12 * MEBIBYTE)
    const page = await fixture.newPage()
    await chooseFile(page, file.path)
    const speedUp = await slowDown(page, MEBIBYTE)
    await press(page, 'Upload')
    await waitForText(page, /\([1-9]\d? %\)/)
    fixture.storageProxy.disable()
    await page.getByRole('heading', { name: 'The upload was interrupted' }).waitFor()
    const { uuid } = await fixture.readSession(page)
    expect(await page.locator('#progress-text').textContent()).not.toMatch(/\/s|left/)
    expect(await isInView(page, '#failure')).toBe(true)
    expect(await page.getByRole('button', { name: 'Start over' }).getAttribute('class')).toBe('quiet')

    fixture.storageProxy.enable()
    await speedUp()
    await press(page, 'Try again')
    await expectHistory(page, 'Session Completed')
    const session = await fixture.readSession(page)
    expect(session.uuid).toBe(uuid)
    expect(await fixture.storedDigest(session)).toBe(file.digest)
  })
})

describe('the upload page after an error', () => {
  it('shows an API error with its detail, its request ID and advice', async () => {
    const page = await fixture.newPage()
    await chooseFile(page, fixture.newFile('rejected.mp4', 1000).path)
    await page.getByLabel('Token').fill('rlk_nonsense')
    const responding = page.waitForResponse(/upload-sessions/)
    await press(page, 'Upload')
    const problem = (await (await responding).json()) as { detail: string; request_id: string }
    const alert = page.getByRole('alert')
    await alert.getByText(problem.detail).waitFor()
    await alert.getByText(problem.request_id).waitFor()
    await alert.getByText('Check the API token').waitFor()
    expect(await page.getByLabel('Token').getAttribute('aria-invalid')).toBe('true')
  })

  it('shows that the request is pending, then that the service cannot be reached', async () => {
    const page = await fixture.newPage()
    await page.getByLabel('API URL').fill('http://127.0.0.1:1')
    await chooseFile(page, fixture.newFile('unreachable.mp4', 1000).path)
    await press(page, 'Upload')
    await waitForText(page, 'Contacting the service…')
    await page.getByRole('heading', { name: 'The service cannot be reached' }).waitFor()
    expect(await page.getByText('Contacting the service…').isVisible()).toBe(false)
  })

  it('shows a CORS error of storage with the command that fixes it', async () => {
    await fixture.allowUploadsFrom('https://other.example')
    const page = await fixture.newPage()
    await chooseFile(page, fixture.newFile('closed.mp4', MEBIBYTE).path)
    await press(page, 'Upload')
    await page.getByRole('heading', { name: 'Storage does not allow uploads from this page' }).waitFor()
    await waitForText(page, `UPLOAD_ORIGINS=${fixture.origin} node server/src/main/setup-storage.ts`)

    await fixture.allowUploadsFrom(fixture.origin)
    await press(page, 'Try again')
    await expectHistory(page, 'Session Completed')
    expect(await page.getByRole('alert').isVisible()).toBe(false)
  })

  it('shows the error code if storage rejects the form, and renews the form on retry', async () => {
    const page = await fixture.newPage()
    await page.route('**/assets/upload-sessions/', async (route) => {
      const response = await route.fetch()
      const body = (await response.json()) as uploadSessions.NewUploadSession
      body.client_payload['x-amz-signature'] = '0'.repeat(64)
      await route.fulfill({ response, json: body })
    })
    await chooseFile(page, fixture.newFile('forged.mp4', MEBIBYTE).path)
    await press(page, 'Upload')
    const alert = page.getByRole('alert')
    await alert.getByText('Storage returned 403 AccessDenied.').waitFor()
    await alert.getByText('The upload form has probably expired.').waitFor()
    await press(page, 'Try again')
    await expectHistory(page, 'Session Completed')
  })

  it.each([
    { width: 360, height: 740 },
    { width: 1000, height: 900 },
  ])('lists missing input where it is visible at a width of $width pixels', async (viewport) => {
    const page = await fixture.newPage({ viewport })
    await page.getByLabel('Organization', { exact: true }).fill('')
    await press(page, 'Upload')
    const alert = page.getByRole('alert')
    await alert.getByText('Enter the organization.').waitFor()
    expect(await isInView(page, '#failure')).toBe(true)
    const organization = page.getByLabel('Organization', { exact: true })
    expect(await organization.getAttribute('aria-invalid')).toBe('true')
    expect(await page.getByLabel('Title').getAttribute('aria-invalid')).toBe(null)
    await alert.getByRole('link', { name: 'Choose a video file.' }).click()
    expect(await page.evaluate('document.activeElement.id')).toBe('file')
    await organization.fill('x')
    expect(await organization.getAttribute('aria-invalid')).toBe(null)
  })
})

describe('a multipart upload', () => {
  it('survives a short connection failure', async () => {
    const file = fixture.newFile('shaky.mp4', 36 * MEBIBYTE)
    const page = await fixture.newPage()
    await chooseFile(page, file.path)
    await page.getByLabel('Resumable upload').check()
    const speedUp = await slowDown(page, MEBIBYTE)
    await press(page, 'Upload')
    await waitForText(page, /\([1-9]\d? %\)/)
    const failed = page.waitForEvent('requestfailed', (request) => request.method() === 'PUT')
    fixture.storageProxy.disable()
    await failed
    fixture.storageProxy.enable()
    await speedUp()
    await expectHistory(page, 'Session Completed')
    expect(await page.getByRole('alert').isVisible()).toBe(false)
    expect(await fixture.storedDigest(await fixture.readSession(page))).toBe(file.digest)
  })

  it('renews its session when it expires during the upload', async () => {
    const file = fixture.newFile('slow.mp4', 36 * MEBIBYTE)
    const page = await fixture.newPage()
    await chooseFile(page, file.path)
    await page.getByLabel('Resumable upload').check()
    // Expires the session between signing the first and the second part.
    let isExpired = false
    await page.route('**/parts/', async (route) => {
      const request = route.request()
      if (request.method() === 'POST' && !isExpired && request.postData()?.includes('[2]')) {
        isExpired = true
        await fixture.expireSession(new URL(request.url()).pathname.split('/').at(-3) ?? '')
      }
      await route.continue()
    })
    const rejected = page.waitForResponse(
      (response) => response.status() === 409 && response.request().method() === 'POST',
    )
    await press(page, 'Upload')
    const { detail } = (await (await rejected).json()) as { detail: string }
    expect(detail).toContain('renew/')
    await expectHistory(page, 'Session Completed')
    expect(await page.getByRole('alert').isVisible()).toBe(false)
    expect(await fixture.storedDigest(await fixture.readSession(page))).toBe(file.digest)
  })

  it('resumes after a reload and sends only the missing parts', async () => {
    const file = fixture.newFile('long.mp4', 70 * MEBIBYTE)
    const page = await fixture.newPage()
    await chooseFile(page, file.path)
    await page.getByLabel('Resumable upload').check()
    // Blocks one part, so that the upload cannot finish before the reload.
    const third = /[?&]partNumber=3(&|$)/
    await page.route(third, () => {})
    await press(page, 'Upload')
    await expectHistory(page, 'Session Uploading')
    await waitForText(page, /[1-4] of 5 parts/)
    const { uuid } = await fixture.readSession(page)
    await page.reload()
    await page.unroute(third)

    await page.getByRole('heading', { name: 'Unfinished upload' }).waitFor()
    await chooseFile(page, file.path)
    const puts: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'PUT') puts.push(request.url())
    })
    const listed = page.waitForResponse(
      (response) => response.url().endsWith('/parts/') && response.request().method() === 'GET',
    )
    await press(page, 'Resume upload')
    const { parts } = (await (await listed).json()) as { parts: object[] }
    await expectHistory(page, 'Session Completed')

    expect(parts.length).toBeGreaterThan(0)
    expect(puts).toHaveLength(5 - parts.length)
    const session = await fixture.readSession(page)
    expect(session.uuid).toBe(uuid)
    expect(await fixture.storedDigest(session)).toBe(file.digest)
    expect(await page.getByRole('button', { name: 'Upload', exact: true }).isVisible()).toBe(true)
  })
})

describe('a storage server without form uploads', () => {
  it('receives the file in parts automatically', async () => {
    await using formless = await openUploadFixture(partsOnly)
    const file = formless.newFile('small.mp4', 2 * MEBIBYTE)
    const page = await formless.newPage()
    const methods: string[] = []
    page.on('request', (request) => {
      if (request.url().startsWith(formless.storageProxy.url)) methods.push(request.method())
    })
    await chooseFile(page, file.path)
    await press(page, 'Upload')
    await expectHistory(page, 'Session Completed')
    expect(await page.getByRole('alert').isVisible()).toBe(false)
    expect(methods).toEqual(['PUT'])
    expect(await formless.storedDigest(await formless.readSession(page))).toBe(file.digest)
  })
})

describe('the upload page', () => {
  it.each(['light', 'dark'] as const)('has no accessibility violations in %s mode', async (colors) => {
    const page = await fixture.newPage({ colorScheme: colors })
    expect(await accessibilityViolations(page)).toEqual([])
    await press(page, 'Upload')
    await page.getByRole('alert').waitFor()
    expect(await accessibilityViolations(page)).toEqual([])
    await chooseFile(page, fixture.newFile('small.mp4', 1000).path)
    await press(page, 'Upload')
    await expectHistory(page, 'Video Queued')
    expect(await accessibilityViolations(page)).toEqual([])
  })

  it('stores the token only as long as the tab is open', async () => {
    const page = await fixture.newPage()
    await chooseFile(page, fixture.newFile('stored.mp4', 1000).path)
    await press(page, 'Upload')
    await expectHistory(page, 'Session Completed')
    await page.reload()
    await expect.poll(() => page.getByLabel('Token').inputValue()).toBe(fixture.caller.token)
    const other = await page.context().newPage()
    await other.goto(page.url())
    await expect.poll(() => other.getByLabel('API URL').inputValue()).toMatch(/^http/)
    expect(await other.getByLabel('Token').inputValue()).toBe('')
  })
})
