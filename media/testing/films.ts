import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { madeOnce } from './cache.ts'
import type { Film } from './film.ts'
import { formatsAndCombinations } from './film-formats.ts'
import { singleTraps } from './film-recipes.ts'

const run = promisify(execFile)

/** Every trap that is known, alone and together with others. */
export const films: readonly Film[] = [...singleTraps, ...formatsAndCombinations]

/** Two at a time: some encoders use one processor. */
const MADE_AT_ONCE = 2

/** What films are made with. */
const words = '1\n00:00:00,500 --> 00:00:01,500\nhello subtitle\n'
const cover = ['-f', 'lavfi', '-i', 'testsrc2=size=100x100:rate=1:duration=1', '-frames:v', '1']

/** Makes them once. Answers with their directory. */
export function makeFilms(wanted = films): Promise<string> {
  return madeOnce('films', [wanted, words, cover], async (directory) => {
    await writeFile(join(directory, 'words.srt'), words)
    await ffmpeg(directory, [...cover, 'cover.jpg'])
    const waiting = [...wanted]
    const maker = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) await makeFilm(directory, next)
    }
    await Promise.all(Array.from({ length: MADE_AT_ONCE }, maker))
  })
}

async function makeFilm(directory: string, { name, arguments: recipe, copying }: Film) {
  if (!copying) return ffmpeg(directory, [...recipe, name])
  const uncopied = `uncopied-${name}`
  await ffmpeg(directory, [...recipe, uncopied])
  const { before = [], after = [] } = copying
  await ffmpeg(directory, [...before, '-i', uncopied, '-c', 'copy', ...after, name])
  await rm(join(directory, uncopied))
}

async function ffmpeg(directory: string, recipe: readonly string[]): Promise<void> {
  const quiet = ['-hide_banner', '-loglevel', 'error', '-nostdin', '-bitexact']
  await run('ffmpeg', [...quiet, ...recipe], { cwd: directory })
}
