/** Runs the samples of the guides and tutorials against the service, page by page. */
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it } from 'vitest'
import { startSamples } from '../../site/src/api/start-samples.ts'
import { pageScript } from './page-script.ts'
import { notRunHere, ordinary, settingsOf } from './page-settings.ts'
import { SCRIPT_TEST_MS } from './run-script.ts'
import { openSampleFixture, writeVideo } from './sample-fixture.ts'
import { publishedPages, samplesIn } from './samples.ts'

const fixture = await opened(openSampleFixture('doc_samples', { hasWorker: true }))
const pages = publishedPages().filter((page) => samplesIn(page).length > 0)
const runPages = pages.filter((page) => !(page in notRunHere))

const library = fixture.newFolder()
const video = join(library, 'lecture.mp4')
writeVideo(video)

/** The video that the guides call $asset. */
async function uploadVideo(): Promise<string> {
  const { code, output } = await fixture.run(
    library,
    'reelkeep upload lecture.mp4 --title "A lecture" --resolutions 240p --watch --json',
  )
  expect(code, output).toBe(0)
  const [, id = ''] = /"id": ?"([0-9a-f-]{36})"/.exec(output) ?? []
  return id
}

const ports = await Promise.all([freePort(), freePort(), freePort(), freePort()])
const assetId = await uploadVideo()
const settings = settingsOf({ assetId, ports: ports.map(String) })

it.each(runPages)(
  'the samples of %s run as written',
  async (page) => {
    const folder = fixture.newFolder()
    copyFileSync(video, join(folder, 'lecture.mp4'))
    const script = pageScript(folder, samplesIn(page), settings[page] ?? ordinary)
    const { code, output } = await fixture.run(folder, script, { ASSET_ID: assetId })
    expect(code, output).toBe(0)
  },
  SCRIPT_TEST_MS,
)

it.each(startSamples)(
  'the $label sample of the start page runs as written',
  async ({ language, code }) => {
    const folder = fixture.newFolder()
    copyFileSync(video, join(folder, 'lecture.mp4'))
    const sample = { place: 'start page', language, code, file: undefined, isBackground: false, notRun: undefined }
    const { code: exitCode, output } = await fixture.run(folder, pageScript(folder, [sample], {}))
    expect(exitCode, output).toBe(0)
  },
  SCRIPT_TEST_MS,
)

it('a page with a failing sample fails, and the message names the line', async () => {
  const [sample] = samplesIn('docs/guides/chapters.md')
  if (!sample) throw new Error('The page has no sample.')
  const broken = { ...sample, code: sample.code.replace('"title": "Opening"', '"titel": "Opening"') }
  const folder = fixture.newFolder()
  const { code, output } = await fixture.run(folder, pageScript(folder, [broken], ordinary), { ASSET_ID: assetId })
  expect(code).toBe(1)
  expect(output).toContain(`The sample at ${sample.place} failed.`)
})

it('every sample is run, or says why it is not', () => {
  const samples = pages.flatMap((page) => samplesIn(page).map((sample) => ({ ...sample, page })))
  const skipped = samples.filter(({ page, notRun }) => notRun !== undefined || page.startsWith('docs/operations/'))
  const elsewhere = samples.filter((sample) => sample.page in notRunHere && !skipped.includes(sample))
  const run = samples.length - skipped.length
  process.stdout.write(
    `samples in the pages: ${samples.length}; run: ${run} (${elsewhere.length} of them by tests/native-start and ` +
      `pnpm drill containers); not run: ${skipped.length}\n`,
  )
  expect(Object.keys(notRunHere).filter((page) => !pages.includes(page))).toEqual([])
  expect(run).toBeGreaterThan(60)
})
