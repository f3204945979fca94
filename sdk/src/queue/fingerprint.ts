import { md5Of } from '../platform/md5.ts'

const ENDS_BYTES = 128 * 1024
const SAMPLE_BYTES = 16 * 1024
const SAMPLES = 6

/**
 * Recognizes a file that the user chooses again: its size, and a digest of its beginning, its end and six samples
 * between them. Files that differ elsewhere have the same fingerprint; `uploads.resume` compares all bytes of the parts
 * that were sent before.
 */
export async function fingerprintOf(file: Blob): Promise<string> {
  const samples = Array.from({ length: SAMPLES }, (_, index) => {
    const begin = Math.floor((file.size * (index + 1)) / (SAMPLES + 1))
    return file.slice(begin, begin + SAMPLE_BYTES)
  })
  const ends = [file.slice(0, ENDS_BYTES), file.slice(Math.max(0, file.size - ENDS_BYTES))]
  return `${file.size}-${await md5Of(new Blob([...ends, ...samples]))}`
}
