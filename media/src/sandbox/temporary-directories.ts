/** Private directories that exist during a run: for the socket of a relay, and for the output of programs. */
import { lstat, mkdtemp, readdir, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const prefixes = { relay: 'reelkeep-relay-', part: 'reelkeep-part-' } as const

/** A directory in use is touched every hour; one that was not touched for six hours is abandoned. */
const TOUCH_INTERVAL_SECONDS = 3600
const ABANDONED_AFTER_SECONDS = 6 * 3600

export type Scratch = AsyncDisposable & { readonly directory: string }

/** Creates a directory. Disposing of it removes the directory with its content. */
export async function openTemporaryDirectory(purpose: keyof typeof prefixes): Promise<Scratch> {
  const directory = await mkdtemp(join(tmpdir(), prefixes[purpose]))
  const timer = setInterval(() => touch(directory), TOUCH_INTERVAL_SECONDS * 1000).unref()
  return {
    directory,
    [Symbol.asyncDispose]: () => {
      clearInterval(timer)
      return rm(directory, { recursive: true, force: true })
    },
  }
}

/** Working directory for the output of programs, before it is uploaded. */
export const openScratch = (): Promise<Scratch> => openTemporaryDirectory('part')

function touch(directory: string): void {
  const now = new Date()
  // If touching the directory fails, the next attempt in an hour is early enough.
  utimes(directory, now, now).catch(() => undefined)
}

/**
 * Removes directories that killed workers have left behind: only the current user's, and only if
 * they cannot be in use any more.
 */
export async function removeAbandonedDirectories(parent = tmpdir()): Promise<void> {
  // The temporary directory may not be listable.
  const names = await readdir(parent).catch(() => [])
  for (const name of names.filter(isOurs)) {
    const path = join(parent, name)
    // Another worker may be removing the directory at the same time.
    if (await isAbandoned(path).catch(() => false)) {
      await rm(path, { recursive: true, force: true }).catch(() => undefined)
    }
  }
}

const isOurs = (name: string) => Object.values(prefixes).some((prefix) => name.startsWith(prefix))

async function isAbandoned(path: string): Promise<boolean> {
  const found = await lstat(path)
  const ageSeconds = (Date.now() - found.mtimeMs) / 1000
  return found.isDirectory() && found.uid === process.getuid?.() && ageSeconds > ABANDONED_AFTER_SECONDS
}
