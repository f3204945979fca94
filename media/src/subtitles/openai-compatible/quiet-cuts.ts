/**
 * A long sound in pieces that a server takes, cut where it is quiet. Nothing of it is kept but what
 * is looked at for the cut.
 */
import { type FileHandle, open } from 'node:fs/promises'
import { BYTES_PER_SAMPLE, SAMPLES_PER_SECOND, type Sound } from '../recogniser.ts'

/** Ten minutes are 19 MB; OpenAI takes 25. */
const PIECE_SECONDS_MAX = 600
/** How far back from there a quiet place is looked for, and how long that has to be. */
const SEARCHED_SECONDS = 30
const QUIET_SECONDS = 0.2

const BYTES_PER_SECOND = SAMPLES_PER_SECOND * BYTES_PER_SAMPLE

/** Of the file: `end` is the first byte that is no longer in it. */
export type SoundPiece = { readonly start: number; readonly end: number }

export const secondsAt = (byte: number) => byte / BYTES_PER_SECOND

export async function* quietCuts(
  { path, seconds }: Sound,
  secondsMax = PIECE_SECONDS_MAX,
): AsyncGenerator<SoundPiece, void, undefined> {
  const size = Math.round(seconds * SAMPLES_PER_SECOND) * BYTES_PER_SAMPLE
  await using file = await open(path)
  for (let start = 0; start < size; ) {
    const latest = start + secondsMax * BYTES_PER_SECOND
    const end = latest >= size ? size : await quietestBefore(file, start, latest)
    yield { start, end }
    start = end
  }
}

async function quietestBefore(file: FileHandle, start: number, latest: number): Promise<number> {
  const searched = Math.min(SEARCHED_SECONDS * BYTES_PER_SECOND, (latest - start) / 2)
  const bytes = Buffer.alloc(searched - (searched % BYTES_PER_SAMPLE))
  const { bytesRead } = await file.read(bytes, 0, bytes.length, latest - bytes.length)
  const quietest = quietestIn(bytes.subarray(0, bytesRead - (bytesRead % BYTES_PER_SAMPLE)))
  return latest - bytes.length + quietest
}

/** The middle of the quietest stretch, in bytes. */
function quietestIn(bytes: Buffer): number {
  const stretch = Math.round(QUIET_SECONDS * SAMPLES_PER_SECOND) * BYTES_PER_SAMPLE
  let quietest = { at: 0, energy: Number.POSITIVE_INFINITY }
  for (let at = 0; at + stretch <= bytes.length; at += stretch) {
    const energy = energyOf(bytes.subarray(at, at + stretch))
    if (energy <= quietest.energy) quietest = { at, energy }
  }
  return quietest.at + stretch / 2
}

function energyOf(bytes: Buffer): number {
  let energy = 0
  for (let at = 0; at < bytes.length; at += BYTES_PER_SAMPLE) energy += bytes.readInt16LE(at) ** 2
  return energy
}
