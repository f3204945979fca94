/** Space for temporary files on the disk of this worker. */
import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { assertDiskWorks } from './disk-errors.ts'

export const freeScratchBytes = async (directory = tmpdir()): Promise<number> => {
  const { bavail, bsize } = await statfs(directory)
  return bavail * bsize
}

/**
 * Reserves space for the runs of one process. Bytes that a run has written count twice, as used and as reserved, until
 * the run ends: a run that starts during this time may be delayed, but does not fail.
 */
export class ScratchSpace {
  readonly #directory: string
  #reservedBytes = 0

  constructor(directory = tmpdir()) {
    this.#directory = directory
  }

  /** Reserves space until disposed. Undefined if there is not enough. @throws DiskFailed if the disk is broken. */
  async reserve(bytes: number): Promise<Disposable | undefined> {
    await assertDiskWorks(this.#directory)
    const freeBytes = await freeScratchBytes(this.#directory)
    if (freeBytes < this.#reservedBytes + bytes) return undefined
    this.#reservedBytes += bytes
    return {
      [Symbol.dispose]: () => {
        this.#reservedBytes -= bytes
      },
    }
  }
}
