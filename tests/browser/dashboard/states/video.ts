/** The states of the page of a video. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import type { LibraryFixture } from '../library-data.ts'
import { type Library, prepareLibrary } from './library-content.ts'
import { failing, press, problem, type State, type States, signedIn } from './state.ts'

const FILM = 'Aurora over Tromsø'

type Step = (page: Page, fixture: LibraryFixture, id: string) => Promise<unknown>

const playButton = (page: Page) => page.locator('reelkeep-player').getByRole('button', { name: 'Play' }).first()

async function openVideo(page: Page, { origin, organizationId }: LibraryFixture, id: string): Promise<void> {
  await page.goto(`${origin}/o/${organizationId}/videos/${id}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
}

/** The described video, ready to be played. */
export const film = (then: Step = async () => {}): State =>
  signedIn(async (page, fixture) => {
    const { idOf } = await prepareLibrary(fixture)
    await openVideo(page, fixture, idOf(FILM))
    await playButton(page).waitFor()
    await page.getByRole('button', { name: 'Play from 0:06: Dawn' }).waitFor()
    await then(page, fixture, idOf(FILM))
  })

/** Another video. */
const video = (idOf: (library: Library) => string, then: (page: Page) => Promise<unknown>): State =>
  signedIn(async (page, fixture) => {
    await openVideo(page, fixture, idOf(await prepareLibrary(fixture)))
    await then(page)
  })

const text = (wanted: string) => (page: Page) => page.getByText(wanted).first().waitFor()

type Asset = { readonly video: object; readonly [field: string]: unknown }

/** The described video with other properties. */
const changed = (change: (asset: Asset) => object, then: (page: Page) => Promise<unknown>): State =>
  signedIn(async (page, fixture) => {
    const { idOf } = await prepareLibrary(fixture)
    const id = idOf(FILM)
    await page.route(`**/assets/${id}/`, async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: change((await response.json()) as Asset) })
    })
    await openVideo(page, fixture, id)
    await then(page)
  })

const openTab = (page: Page, name: string) => page.getByRole('tab', { name }).click()

const dialog = (page: Page, name: string) => page.getByRole('dialog', { name }).waitFor()

/** A photo of another shape than the video. */
async function photo({ folder }: LibraryFixture): Promise<string> {
  const path = join(folder, 'photo.png')
  const source = 'gradients=size=1600x1200:nb_colors=4:seed=5:c0=0x0b1030:c1=0x2dd4a7:c2=0x123a6b:c3=0x7a5cff'
  await promisify(execFile)('ffmpeg', ['-v', 'error', '-y', '-f', 'lavfi', '-i', source, '-frames:v', '1', path])
  return path
}

const tracks: States = {
  'video-crop': film(async (page, fixture) => {
    await page.getByLabel('Image for the cover').setInputFiles(await photo(fixture))
    await page.getByRole('application', { name: 'Part of the image' }).waitFor()
  }),
  'video-chapter-form': film(async (page) => {
    await press(page, 'Add chapter')
    await page.getByLabel('Title of the chapter').fill('The green arc')
  }),
  'video-chapter-wrong': film(async (page) => {
    await press(page, 'Add chapter')
    await page.getByLabel('Start', { exact: true }).fill('soon')
    await page.getByLabel('Title of the chapter').fill('The green arc')
    await page.keyboard.press('Enter')
    await page.getByText('Enter the start as minutes and seconds').waitFor()
  }),
  'video-import-chapters': film(async (page) => {
    await press(page, 'Import chapters')
    await dialog(page, 'Import chapters')
  }),
  'video-captions': film(async (page) => {
    await openTab(page, 'Captions')
    await page.getByRole('button', { name: 'Download English' }).waitFor()
  }),
  'video-add-captions': film(async (page) => {
    await openTab(page, 'Captions')
    await press(page, 'Add captions')
    await dialog(page, 'Add captions')
  }),
  'video-delete-captions': film(async (page) => {
    await openTab(page, 'Captions')
    await press(page, 'Delete English')
    await page.getByRole('alertdialog').waitFor()
  }),
  'video-files': film(async (page) => {
    await openTab(page, 'Files')
    await page.getByRole('list', { name: 'Qualities' }).getByText('240p', { exact: true }).waitFor()
    await page.getByRole('list', { name: 'Versions' }).getByRole('listitem').first().waitFor()
  }),
  'video-activity': film(async (page) => {
    await openTab(page, 'Activity')
    await page.getByRole('tabpanel').getByRole('listitem').first().waitFor()
  }),
}

const edits: States = {
  'video-edit-title': film(async (page) => {
    await press(page, 'Edit title')
    await page.getByLabel('Title', { exact: true }).waitFor()
  }),
  'video-conflict': film(async (page, _, id) => {
    await page.route(`**/assets/${id}/`, async (route) => {
      if (route.request().method() === 'PATCH') return route.fulfill(problem(412, 'changed_meanwhile'))
      const response = await route.fetch()
      const asset = (await response.json()) as Asset
      await route.fulfill({ response, json: { ...asset, title: 'Aurora over Tromsø, final cut' } })
    })
    await press(page, 'Edit title')
    await page.getByLabel('Title', { exact: true }).fill('Northern lights')
    await page.keyboard.press('Enter')
    await page.getByText('Someone else changed this while you were editing.').waitFor()
  }),
  'video-edit-description': film(async (page) => {
    await press(page, 'Edit description')
    await page.getByRole('textbox', { name: 'Description' }).waitFor()
  }),
  'video-add-tag': film(async (page) => {
    await page.getByRole('combobox', { name: 'Add a tag' }).fill('cou')
    await page.getByRole('option', { name: 'course' }).waitFor()
  }),
  'video-add-metadata': film(async (page) => {
    await press(page, 'Add metadata')
    await page.getByLabel('Key', { exact: true }).waitFor()
  }),
  'video-move': film(async (page) => {
    await press(page, 'Move to…')
    await page.getByRole('option', { name: 'Marketing' }).waitFor()
  }),
}

/** What is shown in the place of the player, or above it. */
const situations: States = {
  'video-waiting': video(({ waiting }) => waiting, text('Waiting for the file')),
  'video-failed': video(({ idOf }) => idOf('Corrupt capture'), text('Processing failed')),
  'video-queued': changed(
    (asset) => ({ ...asset, video: { ...asset.video, status: 'Queued', progress: 0, playback_url: null } }),
    text('In the queue'),
  ),
  'video-processing': changed(
    (asset) => ({ ...asset, video: { ...asset.video, status: 'Processing', progress: 42, playback_url: null } }),
    text('The video can be played as soon as its first part is ready.'),
  ),
  'video-playable': changed(
    (asset) => ({ ...asset, video: { ...asset.video, status: 'Processing', progress: 64 } }),
    text('You can already watch the finished part.'),
  ),
  'video-playable-cancelled': changed(
    (asset) => ({ ...asset, video: { ...asset.video, status: 'Cancelled' } }),
    text('You can watch the finished part.'),
  ),
  'video-cancel': changed(
    (asset) => ({ ...asset, video: { ...asset.video, status: 'Processing', progress: 42, playback_url: null } }),
    async (page) => {
      await press(page, 'Cancel processing')
      await page.getByRole('alertdialog').waitFor()
    },
  ),
  'video-on-hold': changed((asset) => ({ ...asset, legal_hold: true }), text('Legal hold')),
  'video-without-chapters': video(({ idOf }) => idOf('Onboarding, part 1'), text('No chapters yet.')),
  'video-missing': video(() => '00000000-0000-7000-8000-000000000000', text('This video does not exist')),
  'video-error': failing(
    signedIn(async (page, fixture) => {
      await page.route('**/assets/*/', (route) => route.fulfill(problem(500, 'internal_error')))
      await openVideo(page, fixture, '00000000-0000-7000-8000-000000000000')
      await text('The video cannot be shown')(page)
    }),
  ),
}

export const videoStates: States = { video: film(), ...edits, ...tracks, ...situations }
