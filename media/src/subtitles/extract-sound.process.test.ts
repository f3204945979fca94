/** Sound out of real videos, by the real program in its sandbox. */
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeSources } from '../../testing/sources.ts'
import { probe } from '../probe/probe.ts'
import { openSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { fileObject } from '../source/file-object.ts'
import { localFile, type Source } from '../source/source.ts'
import { carrySubtitles } from './carry-subtitles.ts'
import { extractSound } from './extract-sound.ts'

const run = promisify(execFile)
const { signal: never } = new AbortController()

let sources: string
let directory: string
let sandbox: Sandbox
beforeAll(async () => {
  sources = await makeSources()
  directory = await mkdtemp(join(tmpdir(), 'extract-sound-'))
  sandbox = await openSandbox({ mode: 'bubblewrap' })
})
afterAll(() => rm(directory, { recursive: true }))

/** Nobody looks at it. */
const picture = ['-f', 'lavfi', '-i', 'color=size=64x36:rate=25:duration=4']
const beep = ['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=44100:duration=2']

/** Made from arguments of ffmpeg. */
async function made(name: string, ...given: string[]): Promise<string> {
  const path = join(directory, name)
  await run('ffmpeg', ['-loglevel', 'error', '-nostdin', '-y', ...given, path], { cwd: directory })
  return path
}

const mp4 = { container: 'mp4', video: { streamIndex: 0 } } as const

async function extract(source: Source, mode = sandbox) {
  const found = await probe(mode, source, { signal: never })
  const streamIndex = found.audio[0]?.streamIndex ?? -1
  return extractSound(mode, { source, probe: found, streamIndex, directory, signal: never })
}

/** The first moment that is not silent. */
async function beginsAt(path: string): Promise<number> {
  const bytes = await readFile(path)
  for (let at = 0; at < bytes.length; at += 2) {
    if (Math.abs(bytes.readInt16LE(at)) > 200) return at / 32_000
  }
  return Number.NaN
}

describe('extractSound', () => {
  it('gives sound of one channel, of a file as of an object', async () => {
    const path = join(sources, 'surround.mp4')
    for (const source of [localFile(path), await fileObject(path)]) {
      const sound = await extract(source)
      expect(sound.seconds).toBeCloseTo(1, 1)
      expect(await beginsAt(sound.path)).toBeLessThan(0.05)
    }
  })

  it.each(['late.mp4', 'late.mkv', 'late.ts'])(
    'keeps the time of sound that begins late: %s',
    async (name) => {
      const late = await made(
        name,
        ...picture,
        '-itsoffset',
        '1.5',
        ...beep,
        '-c:v',
        'libx264',
        '-c:a',
        'aac',
      )
      const sound = await extract(localFile(late))
      expect(await beginsAt(sound.path)).toBeCloseTo(1.5, 1)
      expect(sound.seconds).toBeCloseTo(3.5, 1)
    },
  )

  it('fills a gap in the sound with silence', async () => {
    const gap = [
      '-filter_complex',
      "[1:a]aselect='lt(t,0.5)+gt(t,1.5)'[a]",
      '-map',
      '0:v',
      '-map',
      '[a]',
    ]
    const path = await made(
      'gap.mkv',
      ...picture,
      ...beep,
      ...gap,
      '-c:v',
      'libx264',
      '-c:a',
      'flac',
    )
    expect((await extract(localFile(path))).seconds).toBeCloseTo(2, 1)
  })

  it('works where the operator has shut the worker in by other means', async () => {
    const bare = await openSandbox({ mode: 'none' })
    const sound = await extract(await fileObject(join(sources, 'plain.mp4')), bare)
    expect(sound.seconds).toBeCloseTo(2, 1)
  })

  it('tells sound that cannot be decoded from a source that cannot be read', async () => {
    const path = join(sources, 'plain.mp4')
    const wish = { probe: mp4, streamIndex: 7, directory, signal: never }
    await rm(join(directory, 'sound.s16le'), { force: true })
    await expect(extractSound(sandbox, { ...wish, source: localFile(path) })).rejects.toMatchObject(
      {
        ...{ name: 'SoundUnreadable', isFinal: true },
      },
    )
    const object = await fileObject(path)
    const away = { ...object, read: () => Promise.reject(new Error('storage is away')) }
    await expect(extractSound(sandbox, { ...wish, source: away })).rejects.toThrow(
      'The source could not be read',
    )
  })

  it('is called off', async () => {
    const source = localFile(join(sources, 'plain.mp4'))
    const wish = { source, probe: mp4, streamIndex: 1, directory }
    const signal = AbortSignal.abort(new Error('not wanted any more'))
    await expect(extractSound(sandbox, { ...wish, signal })).rejects.toThrow('not wanted any more')
  })
})

describe('carrySubtitles', () => {
  const carry = async (source: Source) =>
    carrySubtitles(sandbox, {
      source,
      probe: await probe(sandbox, source, { signal: never }),
      signal: never,
    })

  it('carries every text over, with its language, its title and its tags', async () => {
    const words = (text: string) => `1\n00:00:01,000 --> 00:00:02,500\n${text}\n`
    await writeFile(join(directory, 'de.srt'), words('Guten <i>Tag</i> & so'))
    await writeFile(join(directory, 'xx.srt'), words('hello'))
    const path = await made(
      'films.mkv',
      ...[...picture, '-i', 'de.srt', '-i', 'xx.srt', '-map', '0', '-map', '1', '-map', '2'],
      ...['-c:v', 'libx264', '-c:s:0', 'srt', '-c:s:1', 'ass'],
      ...['-metadata:s:s:0', 'language=ger', '-metadata:s:s:0', 'title=Deutsch'],
    )
    const timing = '00:00:01.000 --> 00:00:02.500'
    expect(await carry(await fileObject(path))).toEqual([
      {
        ...{ streamIndex: 1, language: 'de', title: 'Deutsch' },
        webVtt: `WEBVTT\n\n${timing}\nGuten <i>Tag</i> & so\n`,
      },
      { streamIndex: 2, language: 'und', webVtt: `WEBVTT\n\n${timing}\nhello\n` },
    ])
  })

  it('reads the subtitles of an MP4, and finds none where there are none', async () => {
    await writeFile(
      join(directory, 'one.srt'),
      '1\n00:00:00,500 --> 00:00:01,500\nhello subtitle\n',
    )
    const path = await made(
      'one.mp4',
      ...[...picture, '-i', 'one.srt', '-c:v', 'libx264', '-c:s', 'mov_text'],
      ...['-metadata:s:s:0', 'language=fre'],
    )
    const [only, ...more] = await carry(localFile(path))
    expect(more).toEqual([])
    expect(only).toMatchObject({ language: 'fr' })
    expect(only?.webVtt).toContain('00:00:00.500 --> 00:00:01.500\nhello subtitle\n')
    expect(await carry(localFile(join(sources, 'plain.mp4')))).toEqual([])
  })

  it('saves the others when one cannot be read', async () => {
    const path = await made('plain.mp4', ...picture, '-c:v', 'libx264')
    await writeFile(join(directory, 'ok.srt'), '1\n00:00:00,500 --> 00:00:01,500\nstill here\n')
    const film = await made(
      'two.mkv',
      '-i',
      path,
      '-i',
      'ok.srt',
      '-map',
      '0',
      '-map',
      '1',
      '-c',
      'copy',
    )
    const source = localFile(film)
    const found = await probe(sandbox, source, { signal: never })
    const missing = { streamIndex: 9, codec: 'subrip', isText: true }
    const carried = await carrySubtitles(sandbox, {
      ...{ source, signal: never },
      probe: { ...found, subtitles: [missing, ...found.subtitles] },
    })
    expect(carried.map(({ webVtt }) => webVtt.includes('still here'))).toEqual([true])
  })

  it('gives up nothing for lost when the program was killed', async () => {
    await writeFile(join(directory, 'kept.srt'), '1\n00:00:00,500 --> 00:00:01,500\nhello\n')
    const path = await made('kept.mkv', ...picture, '-i', 'kept.srt', '-c:v', 'libx264')
    const object = await fileObject(path)
    const found = await probe(sandbox, object, { signal: never })
    const source: Source = {
      ...object,
      read: (range, signal) => {
        for (const id of sandboxesOf(process.pid)) process.kill(id, 'SIGKILL')
        return object.read(range, signal)
      },
    }
    const carried = carrySubtitles(sandbox, { source, probe: found, signal: never })
    await expect(carried).rejects.toThrow('killed')
  })

  it('saves the others when one is larger than is taken', async () => {
    const words = 'x'.repeat(1000)
    const lines = Array.from({ length: 12_000 }, (_, index) => {
      const at = (milliseconds: number) =>
        `00:00:0${(milliseconds / 1000).toFixed(3)}`.replace('.', ',')
      return `${index + 1}\n${at(index % 3000)} --> ${at((index % 3000) + 1)}\n${words}\n`
    })
    await writeFile(join(directory, 'large.srt'), lines.join('\n'))
    await writeFile(join(directory, 'small.srt'), '1\n00:00:00,500 --> 00:00:01,500\nsmall\n')
    const path = await made(
      'large.mkv',
      ...[...picture, '-i', 'large.srt', '-i', 'small.srt', '-map', '0', '-map', '1', '-map', '2'],
      ...['-c:v', 'libx264', '-c:s', 'srt'],
    )
    const carried = await carry(localFile(path))
    expect(carried.map(({ webVtt }) => webVtt.includes('small'))).toEqual([true])
  })
})

/** Processes of bubblewrap that this one has started. */
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
