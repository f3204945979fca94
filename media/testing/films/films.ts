import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createOnce } from '../cache.ts'
import type { Film } from './film.ts'
import { formatsAndCombinations } from './film-formats.ts'
import { singleDifficulties } from './film-recipes.ts'

const run = promisify(execFile)

/** All test films, with single and combined difficulties. */
export const films: readonly Film[] = [...singleDifficulties, ...formatsAndCombinations]

/** Encodes two films in parallel, because some encoders use only one core. */
const PARALLEL_ENCODERS = 2

const subtitles = '1\n00:00:00,500 --> 00:00:01,500\nhello subtitle\n'
const cover = ['-f', 'lavfi', '-i', 'testsrc2=size=100x100:rate=1:duration=1', '-frames:v', '1']

/** Creates the films once, and returns their directory. */
export function createFilms(wanted = films): Promise<string> {
  return createOnce('films', [wanted, subtitles, cover], async (directory) => {
    await writeFile(join(directory, 'subtitles.srt'), subtitles)
    await ffmpeg(directory, [...cover, 'cover.jpg'])
    const queue = [...wanted]
    const worker = async () => {
      for (let next = queue.shift(); next; next = queue.shift()) await createFilm(directory, next)
    }
    await Promise.all(Array.from({ length: PARALLEL_ENCODERS }, worker))
  })
}

async function createFilm(directory: string, { name, arguments: recipe, remux }: Film) {
  if (!remux) return ffmpeg(directory, [...recipe, name])
  const draft = `uncopied-${name}`
  await ffmpeg(directory, [...recipe, draft])
  const { before = [], after = [] } = remux
  await ffmpeg(directory, [...before, '-i', draft, '-c', 'copy', ...after, name])
  await rm(join(directory, draft))
}

async function ffmpeg(directory: string, recipe: readonly string[]): Promise<void> {
  const quiet = ['-hide_banner', '-loglevel', 'error', '-nostdin', '-bitexact']
  await run('ffmpeg', [...quiet, ...recipe], { cwd: directory })
}
