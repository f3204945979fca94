/**
 * Checks the output of sandboxed programs. The worker, which reads the output, has more privileges than these
 * programs, so a link could make it read or write other files.
 */
import { opendir } from 'node:fs/promises'
import { join } from 'node:path'

/** Maximum number of output files of a program. A part of the longest video has about two hundred. */
const ENTRIES_MAX = 10_000

/**
 * Checks a directory after the program has ended. Returns undefined if it contains only files and
 * directories, else a description of the first invalid entry.
 */
export async function findInvalidEntry(directory: string): Promise<string | undefined> {
  const directories = [directory]
  let entries = 0
  try {
    for (let next = directories.pop(); next !== undefined; next = directories.pop()) {
      for await (const entry of await opendir(next)) {
        if (++entries > ENTRIES_MAX) return `more than ${ENTRIES_MAX} files`
        if (entry.isDirectory()) directories.push(join(next, entry.name))
        else if (!entry.isFile()) return `${entry.name} is not a file`
      }
    }
  } catch (error) {
    // The directory is unreadable, or nested deeper than the maximum path length. Neither happens by accident.
    return error instanceof Error ? error.message : String(error)
  }
  return undefined
}
