/** The backend and the page of docs/tutorials/upload-from-your-web-app.md, unchanged, in Chromium. */
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, stopChild } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { openSampleFixture, writeVideo } from '../docs/sample-fixture.ts'
import { samplesIn } from '../docs/samples.ts'
import { accessibilityViolations } from './accessibility.ts'
import { openChromium } from './chromium.ts'

const fixture = await opened(openSampleFixture('tutorial_upload', { hasWorker: true }))
const browser = await openChromium()
afterAll(() => browser.close())

/** Starts the backend of the tutorial. Returns its URL. */
async function startBackend(folder: string): Promise<string> {
  for (const { file, code } of samplesIn('docs/tutorials/upload-from-your-web-app.md')) {
    if (file !== undefined) writeFileSync(join(folder, file), code)
  }
  const port = await freePort()
  const env = { ...fixture.variables, PORT: String(port) }
  const child = spawn(process.execPath, ['server.mjs'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(async () => {
    await stopChild(child)
  })
  await new Promise((resolve) => child.stdout.once('data', resolve))
  return `http://127.0.0.1:${port}/`
}

it('the page of the tutorial uploads a video and shows the player', async () => {
  const folder = fixture.newFolder()
  writeVideo(join(folder, 'video.mp4'))
  const url = await startBackend(folder)
  const page = await browser.newPage()
  await page.goto(url)
  expect(await accessibilityViolations(page)).toEqual([])
  await page.getByLabel('Video file').setInputFiles(join(folder, 'video.mp4'))
  await page.getByText('Ready').waitFor({ timeout: 120_000 })
  await page.frameLocator('iframe[title="Video"]').locator('reelkeep-player').waitFor({ state: 'attached' })
})
