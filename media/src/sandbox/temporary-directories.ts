/** Directories for as long as something runs, which only we may enter: for the socket of a relay, and for what a part is made in. */
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const prefixes = { relay: 'reelkeep-relay-', part: 'reelkeep-part-' } as const

/** The longest run takes four hours, and what it made is then put away. */
const USED_SECONDS_MAX = 6 * 3600

export const makeTemporaryDirectory = (purpose: keyof typeof prefixes, parent = tmpdir()) =>
  mkdtemp(join(parent, prefixes[purpose]))

export type Scratch = AsyncDisposable & { readonly directory: string }

/** For what programs make before it is put away; it goes with all that is in it. */
export async function openScratch(): Promise<Scratch> {
  const directory = await makeTemporaryDirectory('part')
  return {
    directory,
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  }
}

/** A worker that was killed leaves them behind; the next one to start removes those of its user that cannot be in use any more. */
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
  return found.isDirectory() && found.uid === process.getuid?.() && ageSeconds > USED_SECONDS_MAX
}
