/**
 * What programs leave is read by us, who can see the whole machine: a link among it would have us
 * read, or write, elsewhere.
 */
import { opendir } from 'node:fs/promises'
import { join } from 'node:path'

/** A part of the longest video leaves some two hundred. */
const ENTRIES_MAX = 10_000

/**
 * Looks through a directory when nobody writes to it any more. Undefined if there are files and
 * directories alone, else what there is.
 */
export async function findStrangeEntry(directory: string): Promise<string | undefined> {
  const directories = [directory]
  let entries = 0
  try {
    for (let next = directories.pop(); next !== undefined; next = directories.pop()) {
      for await (const entry of await opendir(next)) {
        if (++entries > ENTRIES_MAX) return `more than ${ENTRIES_MAX} files`
        if (entry.isDirectory()) directories.push(join(next, entry.name))
        else if (!entry.isFile()) return `${entry.name} is no file`
      }
    }
  } catch (error) {
    // Closed to us, or deeper than a path can be long: nobody makes that by mistake.
    return error instanceof Error ? error.message : String(error)
  }
  return undefined
}
