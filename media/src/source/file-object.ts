import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { SourceObject } from './source.ts'

/** A file, read like an object in storage. */
export async function fileObject(path: string): Promise<SourceObject> {
  const { size } = await stat(path)
  return {
    sizeBytes: size,
    // Node counts the last byte in.
    read: async ({ start, end }, signal) => createReadStream(path, { start, end: end - 1, signal }),
  }
}
