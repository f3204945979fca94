import {
  chownSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, afterEach, expect, it, vi } from 'vitest'
import { openSandbox } from '../sandbox/sandbox.ts'
import {
  abandonedDirectoryRemover,
  openScratch,
  openTemporaryDirectory,
  removeAbandonedDirectories,
} from './temporary-directories.ts'

const parent = mkdtempSync(join(tmpdir(), 'temporary-directories-'))
afterAll(() => rmSync(parent, { recursive: true }))
const ANOTHER_USER = 65_534

afterEach(() => {
  vi.unstubAllEnvs()
  vi.useRealTimers()
  for (const name of readdirSync(parent)) rmSync(join(parent, name), { recursive: true })
})

const ageBy = (path: string, seconds: number) => {
  const then = Date.now() / 1000 - seconds
  lutimesSync(path, then, then)
}

/** A directory as a killed worker leaves it. */
function abandonDirectory(name: string, secondsAgo: number): string {
  const path = join(parent, name)
  mkdirSync(path)
  writeFileSync(join(path, 'source.sock'), '')
  ageBy(path, secondsAgo)
  return path
}

it('openSandbox removes the directories of killed workers', async () => {
  vi.stubEnv('TMPDIR', parent)
  await using inUse = await openTemporaryDirectory('relay')
  abandonDirectory('reelkeep-relay-old', 22_000)
  abandonDirectory('reelkeep-part-old', 22_000)
  await openSandbox({ mode: 'bubblewrap' })
  expect(readdirSync(parent)).toEqual([basename(inUse.directory)])
})

it('removeAbandonedDirectories keeps directories in use, however old they are', async () => {
  vi.stubEnv('TMPDIR', parent)
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  for (const open of [openScratch, () => openTemporaryDirectory('relay')]) {
    const { directory, [Symbol.asyncDispose]: close } = await open()
    ageBy(directory, 22_000)
    vi.advanceTimersByTime(60 * 1000)
    const isFresh = () => Date.now() - statSync(directory).mtimeMs < 3_600_000
    await expect.poll(isFresh).toBe(true)
    await removeAbandonedDirectories(parent)
    expect(readdirSync(parent)).toEqual([basename(directory)])
    await close()
    expect([readdirSync(parent), vi.getTimerCount()]).toEqual([[], 0])
  }
})

it('a running worker removes directories that were not touched for 15 minutes, whatever the system time is', async () => {
  let nowSeconds = 0
  const removeAbandoned = abandonedDirectoryRemover(parent, () => nowSeconds)
  // The directory in use seems to be much older, as after a change of the system time.
  const inUse = abandonDirectory('reelkeep-part-used', 90_000)
  abandonDirectory('reelkeep-part-killed', 0)
  for (nowSeconds = 0; nowSeconds <= 900; nowSeconds += 300) {
    ageBy(inUse, 90_000 - nowSeconds)
    await removeAbandoned()
  }
  expect(readdirSync(parent)).toEqual(['reelkeep-part-killed', 'reelkeep-part-used'])
  ageBy(inUse, 80_000)
  await removeAbandoned()
  expect(readdirSync(parent)).toEqual(['reelkeep-part-used'])
})

it('removeAbandonedDirectories keeps directories that may be in use, and those of other programs', async () => {
  abandonDirectory('reelkeep-relay-old', 22_000)
  abandonDirectory('reelkeep-relay-young', 21_000)
  const foreign = abandonDirectory('reelkeep-other', 1e6)
  symlinkSync(foreign, join(parent, 'reelkeep-relay-link'))
  ageBy(join(parent, 'reelkeep-relay-link'), 1e6)
  await removeAbandonedDirectories(parent)
  const left = ['reelkeep-other', 'reelkeep-relay-link', 'reelkeep-relay-young']
  expect(readdirSync(parent)).toEqual(left)
  expect(readdirSync(foreign)).toEqual(['source.sock'])
})

it.runIf(process.getuid?.() === 0)('removeAbandonedDirectories keeps directories of another user', async () => {
  chownSync(abandonDirectory('reelkeep-relay-theirs', 22_000), ANOTHER_USER, ANOTHER_USER)
  await removeAbandonedDirectories(parent)
  expect(readdirSync(parent)).toEqual(['reelkeep-relay-theirs'])
})

it('removeAbandonedDirectories ignores a missing temporary directory', async () => {
  await expect(removeAbandonedDirectories(join(parent, 'none'))).resolves.toBeUndefined()
})
