/**
 * Failures of the worker's own disk: full, over quota, read-only or broken. They say nothing about the file that is
 * being processed, so it must not be blamed for them.
 */
import { randomUUID } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'

const codes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO'])

/**
 * Messages of programs that could not write their output. FFmpeg also reports damaged input as an input/output error,
 * so that message counts only if it is about writing.
 */
const writeFailed =
  /No space left on device|Disk quota exceeded|Read-only file system|(?:write|writing|muxing)[^\n]*Input\/output error/i

/** Bytes that are written to test the disk: more than a file system keeps in its metadata. */
const TEST_BYTES = 64 * 1024

/** Maximum number of nested causes that are inspected. */
const CAUSES_MAX = 8

/** The disk of the worker failed; another worker may succeed. */
export class DiskFailed extends Error {
  override readonly name = 'DiskFailed'
}

/** Whether the worker's disk caused the error. */
export function isDiskError(error: unknown): boolean {
  let current = error
  for (let depth = 0; depth < CAUSES_MAX && current instanceof Error; depth++) {
    if (current instanceof DiskFailed || codes.has((current as NodeJS.ErrnoException).code)) return true
    current = current.cause
  }
  return false
}

/** Checks that a program that failed, with its stderr, could write to this directory. @throws DiskFailed */
export async function assertDiskWorked(stderr: string, directory: string): Promise<void> {
  const [message] = writeFailed.exec(stderr) ?? []
  if (message !== undefined) throw new DiskFailed(message)
  await assertDiskWorks(directory)
}

/** Checks that files can be written to this directory. @throws DiskFailed */
export async function assertDiskWorks(directory: string): Promise<void> {
  const error = await writeTestFile(directory)
  if (isDiskError(error)) throw new DiskFailed('The disk cannot be written', { cause: error })
}

/** Writes a small file to the disk itself, not only to its cache, and removes it. Returns the error, if any. */
async function writeTestFile(directory: string): Promise<unknown> {
  const path = join(directory, `reelkeep-disk-test-${randomUUID()}`)
  try {
    await using file = await open(path, 'wx', 0o600)
    await file.writeFile(Buffer.alloc(TEST_BYTES))
    await file.sync()
    return undefined
  } catch (error) {
    return error
  } finally {
    await rm(path, { force: true }).catch(() => undefined)
  }
}
