/** Parts that the real packager encrypts, put together, and opened again by it and by us. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decrypt, encryptionOf } from '../../testing/encryptions.ts'
import { type MadeVideo, makeVideo, tracksOf } from '../../testing/joined.ts'
import { makeLongSources } from '../../testing/long-sources.ts'
import { planOf, rungOf } from '../../testing/plans.ts'
import type { MadeTrack } from '../part/made-part.ts'
import { keyframeAlone } from '../pictures/keyframe-alone.ts'
import type { TrackName } from '../plan/plan.ts'
import { boxesIn } from '../probe/fragments.ts'
import { openSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { localFile } from '../source/source.ts'
import { clearInit, clearKeyframe } from './clear-copies.ts'
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
const videos = new Map<EncryptionScheme | 'clear', MadeVideo>()
beforeAll(async () => {
  source = localFile(join(await makeLongSources(), 'plain.mp4'))
  sandbox = await openSandbox({ mode: 'bubblewrap' })
  videos.set('clear', await makeVideo(sandbox, source, plan))
  for (const scheme of schemes) {
    const made = await makeVideo(sandbox, source, plan, plan.parts, encryptionOf(scheme))
    videos.set(scheme, made)
  }
}, 300_000)
afterAll(async () => {
  for (const video of videos.values()) await video[Symbol.asyncDispose]()
})

function video(kind: EncryptionScheme | 'clear'): MadeVideo {
  const found = videos.get(kind)
  if (!found) throw new Error(`There is no ${kind} video`)
  return found
}

const clearFrames = new Map<TrackName, Promise<string[]>>()

/** Of the video that was never encrypted: all others are held against it. */
function clearFramesOf(name: TrackName): Promise<string[]> {
  const frames = clearFrames.get(name) ?? video('clear').join(name).then(framesOf)
  clearFrames.set(name, frames)
  return frames
}

/** What is decoded of a file, picture by picture or sound by sound; nothing of what cannot be. */
async function framesOf(path: string): Promise<string[]> {
  const given = ['-v', 'quiet', '-nostdin', '-i', path, '-f', 'framemd5', '-']
  const { stdout } = await run('ffmpeg', given, { maxBuffer: 2 ** 26 }).catch(
    (error: { stdout: string }) => error,
  )
  const lines = stdout.split('\n').filter((line) => line && !line.startsWith('#'))
  return lines.map((line) => line.split(',').at(-1)?.trim() ?? '')
}

/**
 * Of each picture to the same one of another encoding: with several threads x264 does not keep to a
 * bit rate the same way twice, but what it makes is much alike. One that was opened with a wrong
 * key, or counter, is like nothing.
 */
async function likenessesOf(path: string, other: string): Promise<number[]> {
  const compare = ['-lavfi', 'ssim=stats_file=-', '-f', 'null', '-']
  const { stdout } = await run('ffmpeg', ['-v', 'error', '-i', path, '-i', other, ...compare])
  return [...stdout.matchAll(/All:([\d.]+)/g)].map(([, value]) => Number(value))
}

/** Two encodings of one film are above 0.97. */
const LIKE = 0.9

describe.each(schemes)('%s', (scheme) => {
  it.each(names)('of %s, what the packager opens again is what was encoded', async (name) => {
    const opened = await decrypt(encryptionOf(scheme), name, await video(scheme).join(name))
    if (name === 'audio') return expect(await framesOf(opened)).toEqual(await clearFramesOf(name))
    const likenesses = await likenessesOf(opened, await video('clear').join(name))
    expect(likenesses).toHaveLength(plan.frames)
    expect(Math.min(...likenesses)).toBeGreaterThan(LIKE)
  })

  it.each(names)('of %s, nothing is to be seen or heard without the key', async (name) => {
    const sealed = await readFile(await video(scheme).join(name))
    const path = join(video(scheme).directory, `${name}-forced.mp4`)
    // As somebody would try who does not have it: all that tells of the encryption is taken out.
    await writeFile(path, withoutWord(sealed))
    const clear = new Set(await clearFramesOf(name))
    expect(clear.size).toBeGreaterThan(1)
    const seen = await framesOf(path)
    expect(seen.filter((frame) => clear.has(frame))).toEqual([])
  })

  it.each(names)(
    'of %s, the header is the same in every part, and so is the codec',
    async (name) => {
      const [tracks, clear] = [
        tracksOf(video(scheme).parts, name),
        tracksOf(video('clear').parts, name),
      ]
      const headers = await Promise.all(tracks.map(({ init }) => readFile(init.path, 'hex')))
      expect(headers.length).toBeGreaterThan(2)
      expect(new Set(headers).size).toBe(1)
      expect(tracks.map(({ codecs }) => codecs)).toEqual(clear.map(({ codecs }) => codecs))
    },
  )

  it('has no pictures but those of its keyframes with the key, read as little as they are', async () => {
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

  it('leaves no file with keys behind', () => {
    const places = video(scheme).parts.flatMap(({ tracks }) =>
      tracks.map(({ init }) => join(init.path, '../..', FLAGS_FILE)),
    )
    expect(places.filter((path) => existsSync(path))).toEqual([])
  })
})

it('cenc: no two samples under one key have the same vector, of whichever part and size', async () => {
  const ofKey = async (wanted: readonly TrackName[]) => {
    const tracks = wanted.flatMap((name) => tracksOf(video('cenc').parts, name))
    const files = tracks.flatMap(({ segments }) => segments.map(({ path }) => path))
    return (await Promise.all(files.map(async (path) => vectorsOf(await readFile(path))))).flat()
  }
  for (const wanted of [['240p', '360p'], ['audio']] as const) {
    const vectors = await ofKey(wanted)
    expect(vectors.length).toBeGreaterThan(900)
    expect(new Set(vectors).size).toBe(vectors.length)
  }
})

it('a part is not taken for encrypted by another key', async () => {
  const { faultOfSealing } = await import('./sealing.ts')
  const encryption = encryptionOf('cbcs')
  const [track] = tracksOf(video('cbcs').parts, '240p')
  const init = await readFile(track?.init.path ?? '')
  const sealed = [{ isEncrypted: true }]
  expect(faultOfSealing(encryption, '240p', init, sealed)).toBeUndefined()
  expect(faultOfSealing(encryption, 'audio', init, sealed)).toContain('another key')
  expect(faultOfSealing(encryptionOf('cenc'), '240p', init, sealed)).toContain('without cenc')
  expect(faultOfSealing(encryption, '240p', init, [{ isEncrypted: false }])).toContain('clear')
  expect(faultOfSealing(encryption, '240p', clearInit(init), sealed)).toBeUndefined()
})

/**
 * The pictures that are seen of them. They stand one behind the other in a file, and none needs
 * another: each is a keyframe, and nothing is in between.
 */
async function keyframesOf(
  tracks: readonly MadeTrack[],
  opened: (init: Buffer, beginning: Buffer) => Buffer,
): Promise<string[]> {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'keyframes-'))
  const pieces: Buffer[] = []
  for (const { init, segments } of tracks) {
    const header = await readFile(init.path)
    if (pieces.length === 0) pieces.push(clearInit(header))
    for (const { path, keyframes } of segments) {
      const segment = await readFile(path)
      for (const { offset, bytes } of keyframes) {
        pieces.push(keyframeAlone(opened(header, segment.subarray(offset, offset + bytes))))
      }
    }
  }
  const file = join(directory.path, 'keyframes.mp4')
  await writeFile(file, Buffer.concat(pieces))
  return await picturesIn(file)
}

/** Each as far as it can be decoded; none of what cannot be at all. */
async function picturesIn(path: string): Promise<string[]> {
  const given = [
    '-v',
    'fatal',
    '-nostdin',
    '-i',
    path,
    '-fps_mode',
    'passthrough',
    '-f',
    'rawvideo',
  ]
  const { stdout } = await run('ffmpeg', [...given, '-pix_fmt', 'gray', '-'], {
    encoding: 'buffer',
  }).catch((error: { stdout: Buffer }) => error)
  const pictureBytes = width * height
  return Array.from({ length: stdout.length / pictureBytes }, (_, index) =>
    stdout.toString('base64', index * pictureBytes, (index + 1) * pictureBytes),
  )
}

/** All that says how it is encrypted, taken out of a file. */
function withoutWord(file: Buffer): Buffer {
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

/** The vector of each sample in a segment, as it says itself. */
function vectorsOf(segment: Buffer): string[] {
  const found: string[] = []
  for (const traf of trafsOf(segment)) {
    const senc = boxesIn(segment, traf.start, traf.end).find(({ name }) => name === 'senc')
    if (!senc) throw new Error('A fragment without vectors')
    const hasStretches = (segment.readUInt32BE(senc.start) & 0x2) !== 0
    let at = senc.start + 8
    for (let left = segment.readUInt32BE(senc.start + 4); left > 0; left--) {
      found.push(segment.toString('hex', at, at + 8))
      at += 8 + (hasStretches ? 2 + 6 * segment.readUInt16BE(at + 8) : 0)
    }
  }
  return found
}
