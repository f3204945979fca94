/** Private directories that exist during a run: for the socket of a relay, and for the output of programs. */
import { lstat, mkdtemp, readdir, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const prefixes = { relay: 'reelkeep-relay-', part: 'reelkeep-part-' } as const

/** A directory in use is touched every minute, so that other workers of the machine do not remove it. */
const TOUCH_INTERVAL_SECONDS = 60
/** A directory that was not touched for this long is removed when a worker starts. */
const ABANDONED_AFTER_SECONDS = 6 * 3600
/** A directory that a running worker has seen unchanged for this long is removed. */
const UNCHANGED_SECONDS_MAX = 15 * 60

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
  // If touching the directory fails, the next attempt is early enough.
  utimes(directory, now, now).catch(() => undefined)
}

/**
 * Removes directories that killed workers have left behind: only the current user's, and only if
 * they cannot be in use any more.
 */
export async function removeAbandonedDirectories(parent = tmpdir()): Promise<void> {
  for (const { path, modifiedMilliseconds } of await ownDirectories(parent)) {
    if ((Date.now() - modifiedMilliseconds) / 1000 > ABANDONED_AFTER_SECONDS) await remove(path)
  }
}

/**
 * Returns a function that does the same while a worker runs, to be called repeatedly. It measures by its own clock how
 * long a directory has not been touched, so that a wrong or changed system time removes no directory in use.
 */
export function abandonedDirectoryRemover(parent = tmpdir(), nowSeconds = () => performance.now() / 1000) {
  let seen = new Map<string, Unchanged>()
  return async (): Promise<void> => {
    const current = new Map<string, Unchanged>()
    for (const { path, modifiedMilliseconds } of await ownDirectories(parent)) {
      const before = seen.get(path)
      const isUnchanged = before?.modifiedMilliseconds === modifiedMilliseconds
      const sinceSeconds = isUnchanged ? before.sinceSeconds : nowSeconds()
      if (nowSeconds() - sinceSeconds > UNCHANGED_SECONDS_MAX) await remove(path)
      else current.set(path, { modifiedMilliseconds, sinceSeconds })
    }
    seen = current
  }
}

type Unchanged = { readonly modifiedMilliseconds: number; readonly sinceSeconds: number }

/** The directories of workers of this user. */
async function ownDirectories(parent: string) {
  const found: { readonly path: string; readonly modifiedMilliseconds: number }[] = []
  // The temporary directory may not be listable.
  for (const name of (await readdir(parent).catch(() => [])).filter(isOurs)) {
    const path = join(parent, name)
    // Another worker may be removing the directory at the same time.
    const entry = await lstat(path).catch(() => undefined)
    if (entry?.isDirectory() && entry.uid === process.getuid?.()) {
      found.push({ path, modifiedMilliseconds: entry.mtimeMs })
    }
  }
  return found
}

const isOurs = (name: string) => Object.values(prefixes).some((prefix) => name.startsWith(prefix))

const remove = (path: string) => rm(path, { recursive: true, force: true }).catch(() => undefined)
