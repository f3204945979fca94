/** Extracts audio and subtitles from real videos, with the real program in its sandbox. */
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSources } from '../../../testing/sources/sources.ts'
import { probe } from '../../probe/probe.ts'
import { openSandbox, type Sandbox } from '../../sandbox/sandbox.ts'
import { fileObject } from '../../source/file-object.ts'
import { localFile, type Source } from '../../source/source.ts'
import { extractSubtitles } from '../extract-subtitles.ts'
import { extractAudio } from './extract-audio.ts'

const run = promisify(execFile)
const { signal: never } = new AbortController()

let sources: string
let directory: string
let sandbox: Sandbox
beforeAll(async () => {
  sources = await createSources()
  directory = await mkdtemp(join(tmpdir(), 'extract-sound-'))
  sandbox = await openSandbox({ mode: 'bubblewrap' })
  // Making the sources takes minutes when they are not cached.
}, 300_000)
afterAll(() => rm(directory, { recursive: true }))

/** Arguments of ffmpeg that create a video stream. */
const video = ['-f', 'lavfi', '-i', 'color=size=64x36:rate=25:duration=4']
const beep = ['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=44100:duration=2']

async function createFile(name: string, ...given: string[]): Promise<string> {
  const path = join(directory, name)
  await run('ffmpeg', ['-loglevel', 'error', '-nostdin', '-y', ...given, path], { cwd: directory })
  return path
}

const mp4 = { container: 'mp4', video: { streamIndex: 0 } } as const

async function extract(source: Source, mode = sandbox) {
  const found = await probe(mode, source, { signal: never })
  const streamIndex = found.audio[0]?.streamIndex ?? -1
  return extractAudio(mode, { source, probe: found, streamIndex, directory, signal: never })
}

/** Time of the first sample that is not silent. */
async function startOfAudio(path: string): Promise<number> {
  const bytes = await readFile(path)
  for (let at = 0; at < bytes.length; at += 2) {
    if (Math.abs(bytes.readInt16LE(at)) > 200) return at / 32_000
  }
  return Number.NaN
}

describe('extractAudio', () => {
  it('extracts mono audio from a file and from an object', async () => {
    const path = join(sources, 'surround.mp4')
    for (const source of [localFile(path), await fileObject(path)]) {
      const audio = await extract(source)
      expect(audio.seconds).toBeCloseTo(1, 1)
      expect(await startOfAudio(audio.path)).toBeLessThan(0.05)
    }
  })

  it.each(['late.mp4', 'late.mkv', 'late.ts'])('keeps the timing of audio that starts late: %s', async (name) => {
    const late = await createFile(name, ...video, '-itsoffset', '1.5', ...beep, '-c:v', 'libx264', '-c:a', 'aac')
    const audio = await extract(localFile(late))
    expect(await startOfAudio(audio.path)).toBeCloseTo(1.5, 1)
    expect(audio.seconds).toBeCloseTo(3.5, 1)
  })

  it('fills gaps in the audio with silence', async () => {
    const gap = ['-filter_complex', "[1:a]aselect='lt(t,0.5)+gt(t,1.5)'[a]", '-map', '0:v', '-map', '[a]']
    const path = await createFile('gap.mkv', ...video, ...beep, ...gap, '-c:v', 'libx264', '-c:a', 'flac')
    expect((await extract(localFile(path))).seconds).toBeCloseTo(2, 1)
  })

  it('extracts audio in sandbox mode none', async () => {
    const bare = await openSandbox({ mode: 'none' })
    const audio = await extract(await fileObject(join(sources, 'plain.mp4')), bare)
    expect(audio.seconds).toBeCloseTo(2, 1)
  })

  it('distinguishes audio that cannot be decoded from a source that cannot be read', async () => {
    const path = join(sources, 'plain.mp4')
    const options = { probe: mp4, streamIndex: 7, directory, signal: never }
    await rm(join(directory, 'audio.s16le'), { force: true })
    await expect(extractAudio(sandbox, { ...options, source: localFile(path) })).rejects.toMatchObject({
      ...{ name: 'AudioUnreadable', isFinal: true },
    })
    const object = await fileObject(path)
    const unavailable = {
      ...object,
      read: () => Promise.reject(new Error('storage is unavailable')),
    }
    await expect(extractAudio(sandbox, { ...options, source: unavailable })).rejects.toThrow(
      'The source could not be read',
    )
  })

  it('throws the reason of an abort', async () => {
    const source = localFile(join(sources, 'plain.mp4'))
    const options = { source, probe: mp4, streamIndex: 1, directory }
    const signal = AbortSignal.abort(new Error('aborted by the test'))
    await expect(extractAudio(sandbox, { ...options, signal })).rejects.toThrow('aborted by the test')
  })
})

describe('extractSubtitles', () => {
  const extractText = async (source: Source) =>
    extractSubtitles(sandbox, {
      source,
      probe: await probe(sandbox, source, { signal: never }),
      signal: never,
    })

  it('extracts every text track, with its language, title and formatting', async () => {
    const srt = (text: string) => `1\n00:00:01,000 --> 00:00:02,500\n${text}\n`
    await writeFile(join(directory, 'de.srt'), srt('Guten <i>Tag</i> & so'))
    await writeFile(join(directory, 'xx.srt'), srt('hello'))
    const path = await createFile(
      'films.mkv',
      ...[...video, '-i', 'de.srt', '-i', 'xx.srt', '-map', '0', '-map', '1', '-map', '2'],
      ...['-c:v', 'libx264', '-c:s:0', 'srt', '-c:s:1', 'ass'],
      ...['-metadata:s:s:0', 'language=ger', '-metadata:s:s:0', 'title=Deutsch'],
    )
    const timing = '00:00:01.000 --> 00:00:02.500'
    expect(await extractText(await fileObject(path))).toEqual([
      {
        ...{ streamIndex: 1, language: 'de', title: 'Deutsch' },
        webVtt: `WEBVTT\n\n${timing}\nGuten <i>Tag</i> & so\n`,
      },
      { streamIndex: 2, language: 'und', webVtt: `WEBVTT\n\n${timing}\nhello\n` },
    ])
  })

  it('extracts the subtitles of an MP4, and returns none if there are none', async () => {
    await writeFile(join(directory, 'one.srt'), '1\n00:00:00,500 --> 00:00:01,500\nhello subtitle\n')
    const path = await createFile(
      'one.mp4',
      ...[...video, '-i', 'one.srt', '-c:v', 'libx264', '-c:s', 'mov_text'],
      ...['-metadata:s:s:0', 'language=fre'],
    )
    const [only, ...more] = await extractText(localFile(path))
    expect(more).toEqual([])
    expect(only).toMatchObject({ language: 'fr' })
    expect(only?.webVtt).toContain('00:00:00.500 --> 00:00:01.500\nhello subtitle\n')
    expect(await extractText(localFile(join(sources, 'plain.mp4')))).toEqual([])
  })

  it('keeps the other tracks if one cannot be read', async () => {
    const path = await createFile('plain.mp4', ...video, '-c:v', 'libx264')
    await writeFile(join(directory, 'ok.srt'), '1\n00:00:00,500 --> 00:00:01,500\nstill here\n')
    const film = await createFile('two.mkv', '-i', path, '-i', 'ok.srt', '-map', '0', '-map', '1', '-c', 'copy')
    const source = localFile(film)
    const found = await probe(sandbox, source, { signal: never })
    const missing = { streamIndex: 9, codec: 'subrip', isText: true }
    const tracks = await extractSubtitles(sandbox, {
      ...{ source, signal: never },
      probe: { ...found, subtitles: [missing, ...found.subtitles] },
    })
    expect(tracks.map(({ webVtt }) => webVtt.includes('still here'))).toEqual([true])
  })

  it('throws if ffmpeg was killed', async () => {
    await writeFile(join(directory, 'kept.srt'), '1\n00:00:00,500 --> 00:00:01,500\nhello\n')
    const path = await createFile('kept.mkv', ...video, '-i', 'kept.srt', '-c:v', 'libx264')
    const object = await fileObject(path)
    const found = await probe(sandbox, object, { signal: never })
    const source: Source = {
      ...object,
      read: (range, signal) => {
        for (const id of sandboxesOf(process.pid)) process.kill(id, 'SIGKILL')
        return object.read(range, signal)
      },
    }
    const tracks = extractSubtitles(sandbox, { source, probe: found, signal: never })
    await expect(tracks).rejects.toThrow('killed')
  })

  it('keeps the other tracks if one is too large', async () => {
    const line = 'x'.repeat(1000)
    const lines = Array.from({ length: 12_000 }, (_, index) => {
      const at = (milliseconds: number) => `00:00:0${(milliseconds / 1000).toFixed(3)}`.replace('.', ',')
      return `${index + 1}\n${at(index % 3000)} --> ${at((index % 3000) + 1)}\n${line}\n`
    })
    await writeFile(join(directory, 'large.srt'), lines.join('\n'))
    await writeFile(join(directory, 'small.srt'), '1\n00:00:00,500 --> 00:00:01,500\nsmall\n')
    const path = await createFile(
      'large.mkv',
      ...[...video, '-i', 'large.srt', '-i', 'small.srt', '-map', '0', '-map', '1', '-map', '2'],
      ...['-c:v', 'libx264', '-c:s', 'srt'],
    )
    const tracks = await extractText(localFile(path))
    expect(tracks.map(({ webVtt }) => webVtt.includes('small'))).toEqual([true])
  })
})

/** Finds bubblewrap processes started by this process. */
const sandboxesOf = (parent: number) =>
  readdirSync('/proc')
    .filter((id) => /^\d+$/.test(id))
    .filter((id) => {
      try {
        return readFileSync(`/proc/${id}/stat`, 'utf8').includes(`(bwrap) S ${parent} `)
      } catch {
        return false
      }
    })
    .map(Number)
