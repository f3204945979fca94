/**
 * `pnpm faults dashboard-uploads [--files 200] [--bytes 20000000000] [--kills 20] [--cuts 10] [--seed N]`: creates a
 * folder on the dashboard in Chromium, drops files into it, crashes the tab and cuts the connection at random moments,
 * and compares what is in storage with the files. Processing is off. After a crash, the tab is opened again; Chromium
 * without a window cannot ask for the permission to read files, so the files are chosen again, as a user would do.
 *
 * A small run: `--bytes 800000000 --kills 6 --cuts 3`.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { ListObjectsV2Command } from '@aws-sdk/client-s3'
import { Objects, poll, root, startStack } from '@reelkeep/testkit'
import type { BrowserContext, Page } from 'playwright-core'
import { Chance } from '../../../../tools/faults/support/random.ts'
import { dropFiles, openUploadsFixture } from '../uploads-fixture.ts'
import { etagsOf, type GeneratedFile, generateFile } from './generated-files.ts'
import { SentParts } from './sent-parts.ts'

const { values } = parseArgs({
  options: {
    files: { type: 'string', default: '200' },
    bytes: { type: 'string', default: '20000000000' },
    kills: { type: 'string', default: '20' },
    cuts: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
const [count, totalBytes, kills, cuts] = [values.files, values.bytes, values.kills, values.cuts].map(Number) as [
  ...[number, number, number, number],
]
const FOLDER = 'Festival 2026'
/** Ends a run in which an upload never ends, also on a slow disk. Measures nothing. */
const END_SECONDS_MAX = 3600
const chance = new Chance(Number(values.seed))
const print = (line: string) => process.stdout.write(`${line}\n`)

/** Storage needs the bytes once, and space for its own data. */
const FREE_SHARE_MAX = 0.8
const { bavail, bsize } = await statfs(root)
if (totalBytes > bavail * bsize * FREE_SHARE_MAX)
  throw new Error(`${totalBytes} bytes do not fit on this disk. Pass a smaller --bytes.`)

await startStack()
await using fixture = await openUploadsFixture('dashboard_upload_faults')
const folder = mkdtempSync(join(tmpdir(), 'reelkeep-upload-faults-'))
const sent = new SentParts()
fixture.storageProxy.rules = [sent.rule]

try {
  const files = await generateFiles()
  print(`${files.length} files, ${mebibytes(totalBytes)} MiB, ${kills} crashes, ${cuts} cuts, seed ${values.seed}`)
  const startedMs = performance.now()
  await uploadAll(files)
  const seconds = (performance.now() - startedMs) / 1000
  const violations = [...(await storageViolations(files)), ...partViolations()]
  const { attempts, repeated, interrupted, interruptedBytes } = sent.result()
  print(`uploaded in ${seconds.toFixed(0)} s: ${mebibytes(totalBytes)} MiB in ${attempts} requests`)
  print(`in flight at an interruption: ${interrupted} parts or forms, ${mebibytes(interruptedBytes)} MiB`)
  print(`parts or forms sent again: ${repeated}; most parts of one file hit by one interruption: ${sent.partsHitMax}`)
  for (const violation of violations) print(`VIOLATION: ${violation}`)
  print(violations.length === 0 ? 'passed: 0 lost, 0 doubled' : `${violations.length} violations`)
  process.exitCode = violations.length === 0 ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function mebibytes(bytes: number): string {
  return (bytes / 1024 ** 2).toFixed(1)
}

/** Sizes from half to one and a half times the average. */
async function generateFiles(): Promise<GeneratedFile[]> {
  const weights = Array.from({ length: count }, () => 0.5 + chance.fraction())
  const sum = weights.reduce((total, weight) => total + weight, 0)
  const files: GeneratedFile[] = []
  for (const [index, weight] of weights.entries()) {
    const bytes = Math.max(16_384, Math.round((totalBytes * weight) / sum))
    files.push(await generateFile(folder, `film ${String(index + 1).padStart(4, '0')}.mp4`, bytes))
  }
  return files
}

type Fault = { readonly kind: 'kill' | 'cut'; readonly atBytes: number }

/** The moments of the faults, as numbers of bytes sent. */
function planFaults(): Fault[] {
  const kinds = [
    ...Array.from({ length: kills }, () => 'kill' as const),
    ...Array.from({ length: cuts }, () => 'cut' as const),
  ]
  return kinds
    .map((kind) => ({ kind, atBytes: totalBytes * (0.01 + 0.94 * chance.fraction()) }))
    .toSorted((one, other) => one.atBytes - other.atBytes)
}

async function uploadAll(files: readonly GeneratedFile[]): Promise<void> {
  let page = await fixture.openPage()
  const context = page.context()
  await createFolder(page)
  await dropFiles(page, ...files.map(({ path }) => path))
  await page.getByText(/^Uploading \d+ files?$/).waitFor()
  for (const { kind, atBytes } of planFaults()) {
    await reached(atBytes)
    if (kind === 'cut') await cut(context)
    else page = await killTab(page, context, files)
    print(`${kind === 'cut' ? 'connection cut' : 'tab crashed'} at ${mebibytes(sent.sentBytes)} MiB`)
  }
  await page.goto(`${fixture.origin}/o/${fixture.caller.organizationId}/uploads`)
  await provideFiles(page, files)
  const waiting = page.getByText('Uploaded, waiting for processing')
  await poll('the end of all uploads', END_SECONDS_MAX, async () => (await waiting.count()) === files.length)
}

/** Creates a folder and opens it, so that the files are dropped into it. */
async function createFolder(page: Page): Promise<void> {
  await page.getByRole('main').getByRole('button', { name: 'New folder' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill(FOLDER)
  await page.getByRole('button', { name: 'Create folder' }).click()
  await page.getByRole('heading', { level: 1, name: FOLDER }).waitFor()
}

function reached(bytes: number): Promise<void> {
  return new Promise((resolve) => {
    sent.onSent = () => {
      if (sent.sentBytes < bytes) return
      sent.onSent = () => {}
      resolve()
    }
    sent.onSent()
  })
}

async function cut(context: BrowserContext): Promise<void> {
  sent.interrupt()
  fixture.storageProxy.disable()
  await context.setOffline(true)
  await sleep(1000 + 3000 * chance.fraction())
  fixture.storageProxy.enable()
  await context.setOffline(false)
}

/** Crashes the tab, and opens another one. */
async function killTab(page: Page, context: BrowserContext, files: readonly GeneratedFile[]): Promise<Page> {
  const url = page.url()
  const session = await context.newCDPSession(page)
  const crashed = page.waitForEvent('crash')
  sent.interrupt()
  // The response never arrives.
  session.send('Page.crash').catch(() => {})
  await crashed
  await page.close()
  const next = await context.newPage()
  await next.addInitScript('delete window.showOpenFilePicker')
  await next.goto(url)
  await provideFiles(next, files)
  return next
}

/** Chooses all files that interrupted uploads need. */
async function provideFiles(page: Page, files: readonly GeneratedFile[]): Promise<void> {
  const input = page.getByLabel('Files of interrupted uploads')
  await input.waitFor({ state: 'attached' })
  await input.setInputFiles(files.map(({ path }) => path))
}

/** Every file must be there exactly once, with its contents. */
async function storageViolations(files: readonly GeneratedFile[]): Promise<string[]> {
  const violations: string[] = []
  const stored = await storedEtags()
  const { body } = await fixture.caller.get<{ results: { uuid: string }[] }>('assets/folders/')
  const [folder] = body.results
  if (body.results.length !== 1) violations.push(`there are ${body.results.length} folders`)
  for (const { name, path, bytes } of files) {
    const title = name.replace('.mp4', '')
    const assets = await fixture.assets(`q=${encodeURIComponent(title)}`)
    const found = assets.filter((asset) => asset.title === title && asset.video.status !== 'Cancelled')
    if (found.length !== 1) violations.push(`${name} has ${found.length} videos`)
    if (found[0] && found[0].parent_id !== folder?.uuid) violations.push(`${name} is not in the folder`)
    const etags = await etagsOf({ name, path, bytes })
    const etag = found[0] && stored.get(found[0].id)
    if (!etag || !etags.includes(etag)) violations.push(`${name} differs in storage`)
  }
  return violations
}

async function storedEtags(): Promise<Map<string, string>> {
  using objects = new Objects(fixture.env, fixture.bucket)
  const etags = new Map<string, string>()
  let token: string | undefined
  do {
    const page = await objects.client.send(
      new ListObjectsV2Command({ Bucket: fixture.bucket, ContinuationToken: token }),
    )
    for (const { Key = '', ETag = '' } of page.Contents ?? [])
      etags.set(Key.split('/')[1] ?? '', ETag.replaceAll('"', ''))
    token = page.NextContinuationToken
  } while (token)
  return etags
}

function partViolations(): string[] {
  const { repeated, interrupted } = sent.result()
  return [
    ...(sent.partsHitMax > 1 ? [`an interruption hit ${sent.partsHitMax} parts of one file`] : []),
    ...(repeated > interrupted
      ? [`${repeated} parts or forms were sent again, but only ${interrupted} were interrupted`]
      : []),
  ]
}
