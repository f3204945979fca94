/**
 * Inspects the output of sandboxed programs. The worker, which reads the output, has more privileges than these
 * programs, so a link could make it read or write other files.
 */
import { lstat, opendir } from 'node:fs/promises'
import { join } from 'node:path'

/** Maximum number of output files of a program. A part of the longest video has about two hundred. */
const ENTRIES_MAX = 10_000

/** Minimum size that is counted for an entry: an empty file also uses space. */
const ENTRY_BYTES_MIN = 4096

export type Output = {
  /** Size of all files; infinite if there are too many entries to count. */
  readonly bytes: number
  /** Describes the first entry that is neither a file nor a directory. */
  readonly invalid: string | undefined
}

export async function inspectOutput(directory: string): Promise<Output> {
  const directories = [directory]
  let entries = 0
  let bytes = 0
  try {
    for (let next = directories.pop(); next !== undefined; next = directories.pop()) {
      for await (const entry of await opendir(next)) {
        if (++entries > ENTRIES_MAX) {
          return { bytes: Number.POSITIVE_INFINITY, invalid: `more than ${ENTRIES_MAX} files` }
        }
        const path = join(next, entry.name)
        if (entry.isDirectory()) directories.push(path)
        else if (!entry.isFile()) return { bytes, invalid: `${entry.name} is not a file` }
        bytes += Math.max(ENTRY_BYTES_MIN, (await lstat(path)).size)
      }
    }
  } catch (error) {
    // The directory is unreadable, or nested deeper than the maximum path length. Neither happens by accident.
    return { bytes, invalid: error instanceof Error ? error.message : String(error) }
  }
  return { bytes, invalid: undefined }
}
