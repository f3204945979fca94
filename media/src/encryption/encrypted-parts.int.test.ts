/** Encrypts parts with the real packager, joins them, and decrypts them with the packager and with our code. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EncodedVideo, encodeVideo, tracksOf } from '../../testing/encoded-video.ts'
import { decrypt, encryptionOf } from '../../testing/encryptions.ts'
import { planOf, rungOf } from '../../testing/plans.ts'
import { createLongSources } from '../../testing/sources/long-sources.ts'
import type { EncodedTrack } from '../encode/output/encoded-part.ts'
import type { TrackName } from '../plan/plan.ts'
import { boxesIn } from '../probe/container/fragments.ts'
import { openSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { localFile } from '../source/source.ts'
import { singleKeyframe } from '../thumbnails/single-keyframe.ts'
import { clearInit, clearKeyframe } from './decrypt-keyframes.ts'
import { type EncryptionScheme, keyFor } from './encryption.ts'
import { FLAGS_FILE } from './packager-flags.ts'

const run = promisify(execFile)
const schemes: EncryptionScheme[] = ['cbcs', 'cenc']

const [width, height] = [128, 72]
const rungs = [rungOf('240p', 64, 36), rungOf('360p', width, height)]
const plan = planOf({ durationSeconds: 21, audioStream: 1, chunkSegments: 2, rungs })
const names: TrackName[] = ['240p', '360p', 'audio']

let sandbox: Sandbox
let source: ReturnType<typeof localFile>
const videos = new Map<EncryptionScheme | 'clear', EncodedVideo>()
beforeAll(async () => {
  source = localFile(join(await createLongSources(), 'plain.mp4'))
  sandbox = await openSandbox({ mode: 'bubblewrap' })
  videos.set('clear', await encodeVideo(sandbox, source, plan))
  for (const scheme of schemes) {
    const made = await encodeVideo(sandbox, source, plan, plan.parts, encryptionOf(scheme))
    videos.set(scheme, made)
  }
}, 300_000)
afterAll(async () => {
  for (const video of videos.values()) await video[Symbol.asyncDispose]()
})

function video(kind: EncryptionScheme | 'clear'): EncodedVideo {
  const found = videos.get(kind)
  if (!found) throw new Error(`no ${kind} video`)
  return found
}

const clearFrames = new Map<TrackName, Promise<string[]>>()

/** Frames of the unencrypted video, with which the decrypted frames are compared. */
function clearFramesOf(name: TrackName): Promise<string[]> {
  const frames = clearFrames.get(name) ?? video('clear').join(name).then(framesOf)
  clearFrames.set(name, frames)
  return frames
}

/** Hashes of the decoded video or audio frames of a file; empty if nothing can be decoded. */
async function framesOf(path: string): Promise<string[]> {
  const given = ['-v', 'quiet', '-nostdin', '-i', path, '-f', 'framemd5', '-']
  const { stdout } = await run('ffmpeg', given, { maxBuffer: 2 ** 26 }).catch((error: { stdout: string }) => error)
  const lines = stdout.split('\n').filter((line) => line && !line.startsWith('#'))
  return lines.map((line) => line.split(',').at(-1)?.trim() ?? '')
}

/**
 * Similarity (SSIM) of each frame to the same frame of another encoding: with several threads, x264's rate control is
 * not deterministic, but the results are very similar. A frame decrypted with a wrong key or counter is not.
 */
async function similaritiesOf(path: string, other: string): Promise<number[]> {
  const compare = ['-lavfi', 'ssim=stats_file=-', '-f', 'null', '-']
  const { stdout } = await run('ffmpeg', ['-v', 'error', '-i', path, '-i', other, ...compare])
  return [...stdout.matchAll(/All:([\d.]+)/g)].map(([, value]) => Number(value))
}

/** Minimum similarity. Two encodings of the same video have more than 0.97. */
const SIMILAR = 0.9

describe.each(schemes)('a video encrypted with %s', (scheme) => {
  it.each(names)('%s decrypted by the packager equals the unencrypted video', async (name) => {
    const opened = await decrypt(encryptionOf(scheme), name, await video(scheme).join(name))
    if (name === 'audio') return expect(await framesOf(opened)).toEqual(await clearFramesOf(name))
    const similarities = await similaritiesOf(opened, await video('clear').join(name))
    expect(similarities).toHaveLength(plan.frames)
    expect(Math.min(...similarities)).toBeGreaterThan(SIMILAR)
  })

  it.each(names)('%s cannot be decoded without the key', async (name) => {
    const encrypted = await readFile(await video(scheme).join(name))
    const path = join(video(scheme).directory, `${name}-forced.mp4`)
    // Simulates an attacker without the key, who removes all boxes that describe the encryption.
    await writeFile(path, withoutEncryptionBoxes(encrypted))
    const clear = new Set(await clearFramesOf(name))
    expect(clear.size).toBeGreaterThan(1)
    const decoded = await framesOf(path)
    expect(decoded.filter((frame) => clear.has(frame))).toEqual([])
  })

  it.each(names)('the header and the codec of %s are the same in every part', async (name) => {
    const [tracks, clear] = [tracksOf(video(scheme).parts, name), tracksOf(video('clear').parts, name)]
    const headers = await Promise.all(tracks.map(({ init }) => readFile(init.path, 'hex')))
    expect(headers.length).toBeGreaterThan(2)
    expect(new Set(headers).size).toBe(1)
    expect(tracks.map(({ codecs }) => codecs)).toEqual(clear.map(({ codecs }) => codecs))
  })

  it('clearKeyframe decrypts all keyframes with the right key, and none with a wrong one', async () => {
    const { key } = keyFor(encryptionOf(scheme), '360p')
    const clear = await keyframesOf(tracksOf(video('clear').parts, '360p'), (_, bytes) => bytes)
    const opened = await keyframesOf(tracksOf(video(scheme).parts, '360p'), (init, bytes) =>
      clearKeyframe(init, bytes, key),
    )
    const wrong = await keyframesOf(tracksOf(video(scheme).parts, '360p'), (init, bytes) =>
      clearKeyframe(init, bytes, Buffer.alloc(16)),
    )
    expect(clear).toHaveLength(11)
    expect(new Set(clear).size).toBe(11)
    expect(opened).toEqual(clear)
    expect(wrong.filter((picture) => clear.includes(picture))).toEqual([])
  })

  it('encoding leaves no file with keys behind', () => {
    const paths = video(scheme).parts.flatMap(({ tracks }) =>
      tracks.map(({ init }) => join(init.path, '../..', FLAGS_FILE)),
    )
    expect(paths.filter((path) => existsSync(path))).toEqual([])
  })
})

it('with cenc, no two samples with the same key have the same IV, across parts and rungs', async () => {
  const ofKey = async (wanted: readonly TrackName[]) => {
    const tracks = wanted.flatMap((name) => tracksOf(video('cenc').parts, name))
    const files = tracks.flatMap(({ segments }) => segments.map(({ path }) => path))
    return (await Promise.all(files.map(async (path) => ivsOf(await readFile(path))))).flat()
  }
  for (const wanted of [['240p', '360p'], ['audio']] as const) {
    const ivs = await ofKey(wanted)
    expect(ivs.length).toBeGreaterThan(900)
    expect(new Set(ivs).size).toBe(ivs.length)
  }
})

it('findEncryptionError detects a wrong key, a wrong scheme and unencrypted fragments', async () => {
  const { findEncryptionError } = await import('./verify-encryption.ts')
  const encryption = encryptionOf('cbcs')
  const [track] = tracksOf(video('cbcs').parts, '240p')
  const init = await readFile(track?.init.path ?? '')
  const fragments = [{ isEncrypted: true }]
  expect(findEncryptionError(encryption, '240p', init, fragments)).toBeUndefined()
  expect(findEncryptionError(encryption, 'audio', init, fragments)).toContain('another key')
  expect(findEncryptionError(encryptionOf('cenc'), '240p', init, fragments)).toContain('does not declare cenc')
  expect(findEncryptionError(encryption, '240p', init, [{ isEncrypted: false }])).toContain('not encrypted')
  expect(findEncryptionError(encryption, '240p', clearInit(init), fragments)).toBeUndefined()
})

/** Decodes keyframes. They are concatenated into one file; each is independent of the others. */
async function keyframesOf(
  tracks: readonly EncodedTrack[],
  opened: (init: Buffer, beginning: Buffer) => Buffer,
): Promise<string[]> {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'keyframes-'))
  const chunks: Buffer[] = []
  for (const { init, segments } of tracks) {
    const header = await readFile(init.path)
    if (chunks.length === 0) chunks.push(clearInit(header))
    for (const { path, keyframes } of segments) {
      const segment = await readFile(path)
      for (const { offset, bytes } of keyframes) {
        chunks.push(singleKeyframe(opened(header, segment.subarray(offset, offset + bytes))))
      }
    }
  }
  const file = join(directory.path, 'keyframes.mp4')
  await writeFile(file, Buffer.concat(chunks))
  return await decodeFrames(file)
}

/** Decodes the frames of a file, as many as possible. */
async function decodeFrames(path: string): Promise<string[]> {
  const given = ['-v', 'fatal', '-nostdin', '-i', path, '-fps_mode', 'passthrough', '-f', 'rawvideo']
  const { stdout } = await run('ffmpeg', [...given, '-pix_fmt', 'gray', '-'], {
    encoding: 'buffer',
  }).catch((error: { stdout: Buffer }) => error)
  const frameBytes = width * height
  return Array.from({ length: stdout.length / frameBytes }, (_, index) =>
    stdout.toString('base64', index * frameBytes, (index + 1) * frameBytes),
  )
}

/** Removes all boxes that describe the encryption. */
function withoutEncryptionBoxes(file: Buffer): Buffer {
  const plain = clearInit(file)
  for (const traf of trafsOf(plain)) {
    for (const { name, start } of boxesIn(plain, traf.start, traf.end)) {
      if (['senc', 'saiz', 'saio'].includes(name)) plain.write('free', start - 4, 'latin1')
    }
  }
  return plain
}

const trafsOf = (file: Buffer) =>
  boxesIn(file, 0, file.length)
    .filter(({ name }) => name === 'moof')
    .flatMap((moof) => boxesIn(file, moof.start, moof.end))
    .filter(({ name }) => name === 'traf')

/** IVs of all samples of a segment, as stored in it. */
function ivsOf(segment: Buffer): string[] {
  const found: string[] = []
  for (const traf of trafsOf(segment)) {
    const senc = boxesIn(segment, traf.start, traf.end).find(({ name }) => name === 'senc')
    if (!senc) throw new Error('the fragment has no senc box')
    const hasSubsamples = (segment.readUInt32BE(senc.start) & 0x2) !== 0
    let at = senc.start + 8
    for (let left = segment.readUInt32BE(senc.start + 4); left > 0; left--) {
      found.push(segment.toString('hex', at, at + 8))
      at += 8 + (hasSubsamples ? 2 + 6 * segment.readUInt16BE(at + 8) : 0)
    }
  }
  return found
}
