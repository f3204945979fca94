/** `examples/upload.html` as a person uses it, from another origin than the service and storage. */
import type { uploadSessions } from '@reelkeep/contract'
import { partsOnly } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { faultsOfAccess } from './access-faults.ts'
import { openUploadStage } from './upload-stage.ts'

const MEBIBYTE = 1024 ** 2

const stage = await opened(openUploadStage())

const chooseFile = (page: Page, path: string) => page.getByLabel('Video file').setInputFiles(path)
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const shown = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()
const happened = (page: Page, text: string) =>
  page.getByRole('list', { name: 'What happened' }).getByText(text).waitFor()
const bytesSent = (page: Page) => page.getByRole('progressbar', { name: 'Bytes sent' })

/** Makes the line slow enough to see something on the way; what it answers makes it fast again. */
async function slowDown(page: Page, bytesPerSecond: number) {
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

/** All of it, without scrolling. */
const isInView = (page: Page, selector: string) =>
  page.locator(selector).evaluate((shownElement) => {
    const { top, bottom } = shownElement.getBoundingClientRect()
    return top >= 0 && bottom <= shownElement.ownerDocument.documentElement.clientHeight
  })

/** The session that the page shows, as the service has it. */
async function readSession(page: Page) {
  const uuid = await page.locator('#session-uuid').textContent()
  const { body } = await stage.caller.get<uploadSessions.UploadSessionDetails>(
    `assets/upload-sessions/${uuid}/`,
  )
  return body
}

describe('a file by the form', () => {
  it('is uploaded, with progress and every state, and storage has its bytes', async () => {
    const file = stage.newFile('Lecture 1.mp4', 12 * MEBIBYTE)
    const page = await stage.newPage()
    await chooseFile(page, file.path)
    expect(await page.getByLabel('Title').inputValue()).toBe('Lecture 1')
    const speedUp = await slowDown(page, MEBIBYTE)
    await press(page, 'Upload')

    await happened(page, 'Session Created')
    expect(await isInView(page, '#progress')).toBe(true)
    await shown(page, /Until \w+day, .*: The file has to arrive in storage/)
    await shown(page, /of 12\.6 MB \([1-9]\d? %\) · .* [kM]B\/s · .* left/)
    const value = Number(await bytesSent(page).getAttribute('value'))
    expect(value).toBeGreaterThan(0)
    expect(value).toBeLessThanOrEqual(100)
    await speedUp()

    await happened(page, 'Session Completed')
    await happened(page, 'Video Queued')
    const history = page.getByRole('list', { name: 'What happened' }).getByRole('listitem')
    const states = (await history.allTextContents()).map((line) => line.replace(/^.*?M /, ''))
    expect(states).toEqual([
      'Session Created',
      'Video Not Started',
      'Session Completed',
      'Video Queued',
    ])
    await shown(page, '12.6 MB of 12.6 MB (100 %)')
    await page.getByRole('heading', { name: 'The file has arrived' }).waitFor()
    const timeline = page.getByRole('list', { name: 'As the service tells it' })
    await timeline.getByText('The file arrived, 12582912 bytes.').waitFor()
    const session = await readSession(page)
    expect(session.status).toBe('Completed')
    expect(await stage.storedDigest(session)).toBe(file.digest)
  })

  it('is cancelled, and the session with it', async () => {
    const file = stage.newFile('cancelled.mp4', 12 * MEBIBYTE)
    const page = await stage.newPage()
    await chooseFile(page, file.path)
    await slowDown(page, MEBIBYTE)
    await press(page, 'Upload')
    await shown(page, /\([1-9]\d? %\)/)
    await press(page, 'Cancel')
    await happened(page, 'Session Cancelled')
    await page.getByRole('heading', { name: 'The upload was cancelled' }).waitFor()
    expect(await page.locator('#progress-text').textContent()).not.toMatch(/\/s|left/)
    expect((await readSession(page)).status).toBe('Cancelled')
    expect(await page.getByRole('button', { name: 'Try again' }).isVisible()).toBe(false)
  })

  it('goes again in the same session after the line broke', async () => {
    const file = stage.newFile('again.mp4', 12 * MEBIBYTE)
    const page = await stage.newPage()
    await chooseFile(page, file.path)
    const speedUp = await slowDown(page, MEBIBYTE)
    await press(page, 'Upload')
    await shown(page, /\([1-9]\d? %\)/)
    stage.line.cut()
    await page.getByRole('heading', { name: 'The upload broke off' }).waitFor()
    const { uuid } = await readSession(page)
    expect(await page.locator('#progress-text').textContent()).not.toMatch(/\/s|left/)
    expect(await isInView(page, '#failure')).toBe(true)
    expect(await page.getByRole('button', { name: 'Start anew' }).getAttribute('class')).toBe(
      'quiet',
    )

    stage.line.mend()
    await speedUp()
    await press(page, 'Try again')
    await happened(page, 'Session Completed')
    const session = await readSession(page)
    expect(session.uuid).toBe(uuid)
    expect(await stage.storedDigest(session)).toBe(file.digest)
  })
})

describe('a failure', () => {
  it('of the service shows its words, its request id and what to do', async () => {
    const page = await stage.newPage()
    await chooseFile(page, stage.newFile('refused.mp4', 1000).path)
    await page.getByLabel('Token').fill('rk_nonsense')
    const answered = page.waitForResponse(/upload-sessions/)
    await press(page, 'Upload')
    const problem = (await (await answered).json()) as { detail: string; request_id: string }
    const alert = page.getByRole('alert')
    await alert.getByText(problem.detail).waitFor()
    await alert.getByText(problem.request_id).waitFor()
    await alert.getByText('Check the token').waitFor()
    expect(await page.getByLabel('Token').getAttribute('aria-invalid')).toBe('true')
  })

  it('to hear from the service is told while it is waited for', async () => {
    const page = await stage.newPage()
    await page.getByLabel('Address of the service').fill('http://127.0.0.1:1')
    await chooseFile(page, stage.newFile('nobody.mp4', 1000).path)
    await press(page, 'Upload')
    await shown(page, 'Asking the service…')
    await page.getByRole('heading', { name: 'The service cannot be reached' }).waitFor()
    expect(await page.getByText('Asking the service…').isVisible()).toBe(false)
  })

  it('of storage to allow this page shows the command that does', async () => {
    await stage.allowUploadsFrom('https://other.example')
    const page = await stage.newPage()
    await chooseFile(page, stage.newFile('closed.mp4', MEBIBYTE).path)
    await press(page, 'Upload')
    await page.getByRole('heading', { name: 'Storage takes no uploads from this page' }).waitFor()
    await shown(page, `UPLOAD_ORIGINS=${stage.origin} node server/src/main/setup-storage.ts`)

    await stage.allowUploadsFrom(stage.origin)
    await press(page, 'Try again')
    await happened(page, 'Session Completed')
    expect(await page.getByRole('alert').isVisible()).toBe(false)
  })

  it('of storage to take the form shows its code, and a fresh form is taken', async () => {
    const page = await stage.newPage()
    await page.route('**/assets/upload-sessions/', async (route) => {
      const answer = await route.fetch()
      const body = (await answer.json()) as uploadSessions.NewUploadSession
      body.client_payload['x-amz-signature'] = '0'.repeat(64)
      await route.fulfill({ response: answer, json: body })
    })
    await chooseFile(page, stage.newFile('forged.mp4', MEBIBYTE).path)
    await press(page, 'Upload')
    const alert = page.getByRole('alert')
    await alert.getByText('Storage answered 403 AccessDenied.').waitFor()
    await alert.getByText('Most likely the form has expired.').waitFor()
    await press(page, 'Try again')
    await happened(page, 'Session Completed')
  })

  it.each([
    { width: 360, height: 740 },
    { width: 1000, height: 900 },
  ])('to fill in the form names all that is missing, in view at $width', async (viewport) => {
    const page = await stage.newPage({ viewport })
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

describe('a file in parts', () => {
  it('is not stopped by a line that is gone for a moment', async () => {
    const file = stage.newFile('shaky.mp4', 36 * MEBIBYTE)
    const page = await stage.newPage()
    await chooseFile(page, file.path)
    await page.getByLabel('In parts, for bad lines').check()
    const speedUp = await slowDown(page, MEBIBYTE)
    await press(page, 'Upload')
    await shown(page, /\([1-9]\d? %\)/)
    const failed = page.waitForEvent('requestfailed', (request) => request.method() === 'PUT')
    stage.line.cut()
    await failed
    stage.line.mend()
    await speedUp()
    await happened(page, 'Session Completed')
    expect(await page.getByRole('alert').isVisible()).toBe(false)
    expect(await stage.storedDigest(await readSession(page))).toBe(file.digest)
  })

  it('goes on by itself when the time of its session runs out on the way', async () => {
    const file = stage.newFile('slow.mp4', 36 * MEBIBYTE)
    const page = await stage.newPage()
    await chooseFile(page, file.path)
    await page.getByLabel('In parts, for bad lines').check()
    // Between the plan, which signs the first part, and the second one.
    let isRunOut = false
    await page.route('**/parts/', async (route) => {
      const request = route.request()
      if (request.method() === 'POST' && !isRunOut && request.postData()?.includes('[2]')) {
        isRunOut = true
        await stage.runOut(new URL(request.url()).pathname.split('/').at(-3) ?? '')
      }
      await route.continue()
    })
    const refused = page.waitForResponse(
      (answer) => answer.status() === 409 && answer.request().method() === 'POST',
    )
    await press(page, 'Upload')
    const { detail } = (await (await refused).json()) as { detail: string }
    expect(detail).toContain('Call renew/')
    await happened(page, 'Session Completed')
    expect(await page.getByRole('alert').isVisible()).toBe(false)
    expect(await stage.storedDigest(await readSession(page))).toBe(file.digest)
  })

  it('goes on after a reload: only what is missing is sent', async () => {
    const file = stage.newFile('long.mp4', 70 * MEBIBYTE)
    const page = await stage.newPage()
    await chooseFile(page, file.path)
    await page.getByLabel('In parts, for bad lines').check()
    // It cannot be finished before the reload.
    const third = /[?&]partNumber=3(&|$)/
    await page.route(third, () => {})
    await press(page, 'Upload')
    await happened(page, 'Session Uploading')
    await shown(page, /[1-4] of 5 parts/)
    const { uuid } = await readSession(page)
    await page.reload()
    await page.unroute(third)

    await page.getByRole('heading', { name: 'An upload is not finished' }).waitFor()
    await chooseFile(page, file.path)
    const puts: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'PUT') puts.push(request.url())
    })
    const listed = page.waitForResponse(
      (answer) => answer.url().endsWith('/parts/') && answer.request().method() === 'GET',
    )
    await press(page, 'Go on with the upload')
    const { parts } = (await (await listed).json()) as { parts: object[] }
    await happened(page, 'Session Completed')

    expect(parts.length).toBeGreaterThan(0)
    expect(puts).toHaveLength(5 - parts.length)
    const session = await readSession(page)
    expect(session.uuid).toBe(uuid)
    expect(await stage.storedDigest(session)).toBe(file.digest)
    expect(await page.getByRole('button', { name: 'Upload', exact: true }).isVisible()).toBe(true)
  })
})

describe('a storage that takes no forms', () => {
  it('is sent parts, without being asked for them', async () => {
    await using formless = await openUploadStage(partsOnly)
    const file = formless.newFile('small.mp4', 2 * MEBIBYTE)
    const page = await formless.newPage()
    const methods: string[] = []
    page.on('request', (request) => {
      if (request.url().startsWith(formless.line.url)) methods.push(request.method())
    })
    await chooseFile(page, file.path)
    await press(page, 'Upload')
    await happened(page, 'Session Completed')
    expect(await page.getByRole('alert').isVisible()).toBe(false)
    expect(methods).toEqual(['PUT'])
    const uuid = await page.locator('#session-uuid').textContent()
    const { body } = await formless.caller.get<uploadSessions.UploadSessionDetails>(
      `assets/upload-sessions/${uuid}/`,
    )
    expect(await formless.storedDigest(body)).toBe(file.digest)
  })
})

describe('the page', () => {
  it.each(['light', 'dark'] as const)('can be used by everybody, when it is %s', async (colors) => {
    const page = await stage.newPage({ colorScheme: colors })
    expect(await faultsOfAccess(page)).toEqual([])
    await press(page, 'Upload')
    await page.getByRole('alert').waitFor()
    expect(await faultsOfAccess(page)).toEqual([])
    await chooseFile(page, stage.newFile('small.mp4', 1000).path)
    await press(page, 'Upload')
    await happened(page, 'Video Queued')
    expect(await faultsOfAccess(page)).toEqual([])
  })

  it('keeps the token no longer than the tab', async () => {
    const page = await stage.newPage()
    await chooseFile(page, stage.newFile('kept.mp4', 1000).path)
    await press(page, 'Upload')
    await happened(page, 'Session Completed')
    await page.reload()
    await expect.poll(() => page.getByLabel('Token').inputValue()).toBe(stage.caller.token)
    const other = await page.context().newPage()
    await other.goto(page.url())
    await expect
      .poll(() => other.getByLabel('Address of the service').inputValue())
      .toMatch(/^http/)
    expect(await other.getByLabel('Token').inputValue()).toBe('')
  })
})
