import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { SourceObject } from './source.ts'

/** A local file with the interface of an object in storage. */
export async function fileObject(path: string): Promise<SourceObject> {
  const { size } = await stat(path)
  return {
    sizeBytes: size,
    // The end of createReadStream is inclusive.
    read: async ({ start, end }, signal) => createReadStream(path, { start, end: end - 1, signal }),
  }
}
