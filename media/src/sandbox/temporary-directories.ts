/**
 * Directories for as long as something runs, which only we may enter: for the socket of a relay,
 * and for what a part is made in.
 */
import { lstat, mkdtemp, readdir, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const prefixes = { relay: 'reelkeep-relay-', part: 'reelkeep-part-' } as const

/**
 * A directory in use says so each hour, however long it is; one that has said nothing for so long
 * belongs to nobody any more.
 */
const RENEWED_EVERY_SECONDS = 3600
const SILENT_SECONDS_MAX = 6 * 3600

export type Scratch = AsyncDisposable & { readonly directory: string }

/** It goes with all that is in it. */
export async function openTemporaryDirectory(purpose: keyof typeof prefixes): Promise<Scratch> {
  const directory = await mkdtemp(join(tmpdir(), prefixes[purpose]))
  const renewal = setInterval(() => renew(directory), RENEWED_EVERY_SECONDS * 1000).unref()
  return {
    directory,
    [Symbol.asyncDispose]: () => {
      clearInterval(renewal)
      return rm(directory, { recursive: true, force: true })
    },
  }
}

/** For what programs make before it is put away. */
export const openScratch = (): Promise<Scratch> => openTemporaryDirectory('part')

function renew(directory: string): void {
  const now = new Date()
  // If it cannot be, the next time is early enough.
  utimes(directory, now, now).catch(() => undefined)
}

/**
 * A worker that was killed leaves them behind; the next one to start removes those of its user that
 * cannot be in use any more.
 */
export async function removeAbandonedDirectories(parent = tmpdir()): Promise<void> {
  // A place for temporary files need not let itself be listed.
  const names = await readdir(parent).catch(() => [])
  for (const name of names.filter(isOurs)) {
    const path = join(parent, name)
    // Another worker may be removing it, too.
    if (await isAbandoned(path).catch(() => false)) {
      await rm(path, { recursive: true, force: true }).catch(() => undefined)
    }
  }
}

const isOurs = (name: string) => Object.values(prefixes).some((prefix) => name.startsWith(prefix))

async function isAbandoned(path: string): Promise<boolean> {
  const found = await lstat(path)
  const ageSeconds = (Date.now() - found.mtimeMs) / 1000
  return found.isDirectory() && found.uid === process.getuid?.() && ageSeconds > SILENT_SECONDS_MAX
}
