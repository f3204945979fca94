/**
 * Several hundred files that somebody means harm with, or that were broken on the way: the same
 * ones every time, from fixed seeds. Made once into a directory that is kept.
 */
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { madeOnce } from '../testing/cache.ts'
import { makeSources } from '../testing/sources.ts'
import type { HostileFile, HostileRecipe } from './hostile-file.ts'
import { ffmpegTexts, madeByFfmpeg } from './made-by-ffmpeg.ts'
import { matroskaRecipes } from './matroska.ts'
import { movieRecipes } from './movies.ts'
import { otherRecipes } from './others.ts'
import { textRecipes } from './texts.ts'

const run = promisify(execFile)

/** To be raised when what is made changes. */
const CORPUS_VERSION = 3

const victims = [
  ...['plain.mp4', 'moov-first.mp4', 'fragmented.mp4', 'plain.mkv', 'plain.webm', 'plain.avi'],
  ...['plain.ts', 'plain.m2ts', 'plain.mpg', 'plain.flv', 'plain.wmv', 'plain.mxf', 'plain.ogv'],
]
/** Which bytes zzuf flips and how many bits of them: a few all over, some in the header, and then ever more. */
const mutations = [
  ...[1, 2, 3, 4].map((seed) => ({ seed, ratio: '0.0005', bytes: '16-' })),
  ...[5, 6, 7, 8].map((seed) => ({ seed, ratio: '0.01', bytes: '16-4096' })),
  ...[9, 10, 11].map((seed) => ({ seed, ratio: '0.05', bytes: '32-' })),
  ...[12, 13, 14, 15, 16].map((seed) => ({ seed, ratio: '0.2', bytes: '32-' })),
]
const cuts = [0.02, 0.1, 0.3, 0.6, 0.9, 0.999]

/** Every file of the corpus. */
export async function makeHostileCorpus(): Promise<HostileFile[]> {
  const directory = await madeOnce('hostile', [CORPUS_VERSION, madeByFfmpeg, ffmpegTexts], makeAll)
  return JSON.parse(await readFile(join(directory, 'corpus.json'), 'utf8')).map(
    (file: Omit<HostileFile, 'path'>) => ({ ...file, path: join(directory, file.name) }),
  )
}

async function makeAll(directory: string): Promise<void> {
  const sources = await makeSources()
  const read = (name: string) => readFile(join(sources, name))
  const recipes = [
    ...textRecipes,
    ...movieRecipes(await read('plain.mp4')),
    ...matroskaRecipes(await read('plain.mkv')),
    ...otherRecipes({
      ...{ avi: await read('plain.avi'), ts: await read('plain.ts'), wmv: await read('plain.wmv') },
      ...{ mxf: await read('plain.mxf'), ogv: await read('plain.ogv') },
    }),
    ...(await cutFiles(read)),
  ]
  await writeRecipes(directory, recipes)
  await writeFile(join(directory, 'film.mp4'), await read('plain.mp4'))
  await makeWithFfmpeg(directory)
  const mutants = await mutate(sources, directory)
  const all = [...recipes, ...madeByFfmpeg, ...mutants].map(({ name, expect, codes }) => ({
    name,
    expect,
    codes,
  }))
  await writeFile(join(directory, 'corpus.json'), JSON.stringify(all))
}

async function writeRecipes(directory: string, recipes: readonly HostileRecipe[]): Promise<void> {
  for (const { name, bytes } of recipes) await writeFile(join(directory, name), bytes)
}

async function cutFiles(read: (name: string) => Promise<Buffer>): Promise<HostileRecipe[]> {
  const recipes: HostileRecipe[] = []
  for (const name of victims) {
    const whole = await read(name)
    for (const cut of cuts) {
      const bytes = whole.subarray(0, Math.floor(whole.length * cut))
      recipes.push({ name: `cut-${cut}-${name}`, bytes, expect: 'any' })
    }
  }
  return recipes
}

async function makeWithFfmpeg(directory: string): Promise<void> {
  for (const [name, text] of Object.entries(ffmpegTexts))
    await writeFile(join(directory, name), text)
  for (const { name, arguments: given } of madeByFfmpeg) {
    await run('ffmpeg', ['-v', 'error', '-nostdin', '-bitexact', ...given, name], {
      cwd: directory,
    })
  }
}

async function mutate(sources: string, directory: string): Promise<Omit<HostileFile, 'path'>[]> {
  const mutants: Omit<HostileFile, 'path'>[] = []
  for (const victim of victims) {
    const whole = await readFile(join(sources, victim))
    for (const mutation of mutations) {
      const name = `zzuf-${mutation.seed}-${victim}`
      await writeFile(join(directory, name), await flipped(whole, mutation))
      mutants.push({ name, expect: 'any' })
    }
  }
  return mutants
}

async function flipped(whole: Buffer, { seed, ratio, bytes }: (typeof mutations)[number]) {
  const zzuf = run('zzuf', ['-s', String(seed), '-r', ratio, '-b', bytes], {
    encoding: 'buffer',
    maxBuffer: 2 ** 24,
  })
  zzuf.child.stdin?.end(whole)
  const { stdout } = await zzuf
  if (stdout.length !== whole.length || stdout.equals(whole)) throw new Error('zzuf did nothing')
  return stdout
}
