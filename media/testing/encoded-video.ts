/** Encodes parts and joins them as a player would: the header of a track, then all its segments. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { encodePart } from '../src/encode/encode-part.ts'
import type { EncodedPart, EncodedTrack } from '../src/encode/output/encoded-part.ts'
import type { Encryption } from '../src/encryption/encryption.ts'
import type { Part, Plan, TrackName } from '../src/plan/plan.ts'
import type { Sandbox } from '../src/sandbox/sandbox.ts'
import type { Source } from '../src/source/source.ts'

const run = promisify(execFile)
const OUTPUT_BYTES_MAX = 2 ** 28

export type EncodedVideo = AsyncDisposable & {
  readonly directory: string
  readonly parts: readonly EncodedPart[]
  /** Returns a file with one whole track. */
  readonly join: (track: TrackName) => Promise<string>
}

const never = new AbortController().signal

/** Encodes the parts in the given order, and joins them in the order of the video. */
export async function encodeVideo(
  sandbox: Sandbox,
  source: Source,
  plan: Plan,
  order: readonly Part[] = plan.parts,
  encryption?: Encryption,
): Promise<EncodedVideo> {
  const directory = await mkdtemp(join(tmpdir(), 'made-video-'))
  const parts: EncodedPart[] = []
  for (const part of order) {
    const own = await mkdtemp(join(directory, `part-${part.number}-`))
    const options = { directory: own, signal: never, encryption }
    parts.push(await encodePart(sandbox, source, plan, part, options))
  }
  return {
    ...{ directory, parts },
    join: (track) => joinTrack(directory, track, tracksOf(parts, track)),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  }
}

export const tracksOf = (parts: readonly EncodedPart[], track: TrackName): EncodedTrack[] =>
  parts.flatMap(({ tracks }) => tracks.filter(({ name }) => name === track))

async function joinTrack(directory: string, name: TrackName, tracks: readonly EncodedTrack[]) {
  const path = join(directory, `${name}.mp4`)
  const segments = tracks
    .flatMap((track) => track.segments)
    .toSorted((a, b) => numberOf(a.path).localeCompare(numberOf(b.path)))
  const files = [tracks[0]?.init, ...segments].flatMap((file) => (file ? [file.path] : []))
  await writeFile(path, Buffer.concat(await Promise.all(files.map((file) => readFile(file)))))
  return path
}

const numberOf = (path: string) => path.split('/').at(-1) ?? ''

export type Packet = { readonly pts: number; readonly dts: number; readonly isKey: boolean }

export async function packetsOf(path: string): Promise<Packet[]> {
  const entries = ['-show_entries', 'packet=pts,dts,flags', '-of', 'csv=p=0']
  const { stdout } = await run('ffprobe', ['-v', 'error', ...entries, path], {
    maxBuffer: OUTPUT_BYTES_MAX,
  })
  return stdout
    .trim()
    .split('\n')
    .map((line) => {
      const [pts, dts, flags = ''] = line.split(',')
      return { pts: Number(pts), dts: Number(dts), isKey: flags.startsWith('K') }
    })
}

/** Decodes a file; any error throws. */
export async function decode(path: string, given: readonly string[]): Promise<Buffer> {
  const all = ['-v', 'error', '-nostdin', '-xerror', '-i', path, ...given, '-']
  const { stdout, stderr } = await run('ffmpeg', all, {
    ...{ maxBuffer: OUTPUT_BYTES_MAX, encoding: 'buffer' },
  })
  if (stderr.length > 0) throw new Error(stderr.toString('utf8'))
  return stdout
}

/** Decodes the first frame of a file that may be truncated. */
export async function decodeFirstFrame(path: string): Promise<Buffer> {
  const given = ['-v', 'fatal', '-nostdin', '-i', path, '-frames:v', '1', '-f', 'rawvideo']
  const { stdout } = await run('ffmpeg', [...given, '-pix_fmt', 'gray', '-'], {
    ...{ maxBuffer: OUTPUT_BYTES_MAX, encoding: 'buffer' },
  })
  return stdout
}

/** Decodes audio to mono samples at 48 kHz. */
export async function samplesOf(path: string): Promise<Float32Array> {
  const bytes = await decode(path, ['-map', '0:a', '-f', 'f32le', '-ac', '1', '-ar', '48000'])
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
}
