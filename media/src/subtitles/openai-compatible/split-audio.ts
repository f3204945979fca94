/** Cuts long audio into segments that a server accepts, at quiet places, with constant memory. */
import { type FileHandle, open } from 'node:fs/promises'
import { type AudioFile, BYTES_PER_SAMPLE, SAMPLES_PER_SECOND } from '../transcription/transcriber.ts'

/** Maximum duration of a segment. Ten minutes of audio are 19 MB; OpenAI accepts 25 MB. */
const SEGMENT_SECONDS_MAX = 600
/** How far before the end of a segment a quiet place is searched, and its duration. */
const SEARCH_SECONDS = 30
const QUIET_SECONDS = 0.2

const BYTES_PER_SECOND = SAMPLES_PER_SECOND * BYTES_PER_SAMPLE

/** Byte range in the file; `end` is exclusive. */
export type AudioSegment = { readonly start: number; readonly end: number }

export const secondsAt = (byte: number) => byte / BYTES_PER_SECOND

export async function* splitAudio(
  { path, seconds }: AudioFile,
  secondsMax = SEGMENT_SECONDS_MAX,
): AsyncGenerator<AudioSegment, void, undefined> {
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
  const searched = Math.min(SEARCH_SECONDS * BYTES_PER_SECOND, (latest - start) / 2)
  const bytes = Buffer.alloc(searched - (searched % BYTES_PER_SAMPLE))
  const { bytesRead } = await file.read(bytes, 0, bytes.length, latest - bytes.length)
  const quietest = quietestIn(bytes.subarray(0, bytesRead - (bytesRead % BYTES_PER_SAMPLE)))
  return latest - bytes.length + quietest
}

/** Middle of the quietest window, in bytes. */
function quietestIn(bytes: Buffer): number {
  const windowBytes = Math.round(QUIET_SECONDS * SAMPLES_PER_SECOND) * BYTES_PER_SAMPLE
  let quietest = { at: 0, energy: Number.POSITIVE_INFINITY }
  for (let at = 0; at + windowBytes <= bytes.length; at += windowBytes) {
    const energy = energyOf(bytes.subarray(at, at + windowBytes))
    if (energy <= quietest.energy) quietest = { at, energy }
  }
  return quietest.at + windowBytes / 2
}

function energyOf(bytes: Buffer): number {
  let energy = 0
  for (let at = 0; at < bytes.length; at += BYTES_PER_SAMPLE) energy += bytes.readInt16LE(at) ** 2
  return energy
}
