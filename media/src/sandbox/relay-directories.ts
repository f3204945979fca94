/** Where the sockets of relays lie: a directory for each, which only we may enter. */
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const prefix = 'reelkeep-relay-'

/** A relay is there for one probe, which takes minutes at most. */
const USED_SECONDS_MAX = 3600

export const makeRelayDirectory = () => mkdtemp(join(tmpdir(), prefix))

/** A worker that was killed leaves them behind; the next one to start removes those of its user that cannot be in use any more. */
export async function removeAbandonedRelayDirectories(parent = tmpdir()): Promise<void> {
  // A place for temporary files need not let itself be listed.
  const names = await readdir(parent).catch(() => [])
  for (const name of names.filter((name) => name.startsWith(prefix))) {
    const path = join(parent, name)
    // Another worker may be removing it, too.
    if (await isAbandoned(path).catch(() => false)) {
      await rm(path, { recursive: true, force: true }).catch(() => undefined)
    }
  }
}

async function isAbandoned(path: string): Promise<boolean> {
  const found = await lstat(path)
  const ageSeconds = (Date.now() - found.mtimeMs) / 1000
  return found.isDirectory() && found.uid === process.getuid?.() && ageSeconds > USED_SECONDS_MAX
}
