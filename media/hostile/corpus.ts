/** Several hundred malicious or damaged files, created once from fixed seeds. */
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createOnce } from '../testing/cache.ts'
import { createSources } from '../testing/sources/sources.ts'
import { ffmpegRecipes, ffmpegTexts } from './ffmpeg-recipes.ts'
import { type HostileFile, type HostileRecipe, readHostileCorpus } from './hostile-file.ts'
import { matroskaRecipes } from './matroska.ts'
import { mp4Recipes } from './mp4.ts'
import { otherRecipes } from './other-containers.ts'
import { textRecipes } from './texts.ts'

const run = promisify(execFile)

/** Version of the corpus. Increase it when the output changes. */
const CORPUS_VERSION = 3

const validFiles = [
  ...['plain.mp4', 'moov-first.mp4', 'fragmented.mp4', 'plain.mkv', 'plain.webm', 'plain.avi'],
  ...['plain.ts', 'plain.m2ts', 'plain.mpg', 'plain.flv', 'plain.wmv', 'plain.mxf', 'plain.ogv'],
]
/**
 * zzuf seeds, ratios of flipped bits, and byte ranges: first a low ratio for the whole file, then a higher one
 * for the start of the file, then increasing ratios for the whole file.
 */
const mutations = [
  ...[1, 2, 3, 4].map((seed) => ({ seed, ratio: '0.0005', bytes: '16-' })),
  ...[5, 6, 7, 8].map((seed) => ({ seed, ratio: '0.01', bytes: '16-4096' })),
  ...[9, 10, 11].map((seed) => ({ seed, ratio: '0.05', bytes: '32-' })),
  ...[12, 13, 14, 15, 16].map((seed) => ({ seed, ratio: '0.2', bytes: '32-' })),
]
const cuts = [0.02, 0.1, 0.3, 0.6, 0.9, 0.999]

/** Returns all files of the corpus. */
export async function createHostileCorpus(): Promise<HostileFile[]> {
  const directory = await createOnce('hostile', [CORPUS_VERSION, ffmpegRecipes, ffmpegTexts], createAll)
  return readHostileCorpus(directory)
}

async function createAll(directory: string): Promise<void> {
  const sources = await createSources()
  const read = (name: string) => readFile(join(sources, name))
  const recipes = [
    ...textRecipes,
    ...mp4Recipes(await read('plain.mp4')),
    ...matroskaRecipes(await read('plain.mkv')),
    ...otherRecipes({
      ...{ avi: await read('plain.avi'), ts: await read('plain.ts'), wmv: await read('plain.wmv') },
      ...{ mxf: await read('plain.mxf'), ogv: await read('plain.ogv') },
    }),
    ...(await truncatedFiles(read)),
  ]
  await writeRecipes(directory, recipes)
  await writeFile(join(directory, 'film.mp4'), await read('plain.mp4'))
  await createWithFfmpeg(directory)
  const mutants = await mutate(sources, directory)
  const all = [...recipes, ...ffmpegRecipes, ...mutants].map(({ name, expect, codes }) => ({
    name,
    expect,
    codes,
  }))
  await writeFile(join(directory, 'corpus.json'), JSON.stringify(all))
}

async function writeRecipes(directory: string, recipes: readonly HostileRecipe[]): Promise<void> {
  for (const { name, bytes } of recipes) await writeFile(join(directory, name), bytes)
}

async function truncatedFiles(read: (name: string) => Promise<Buffer>): Promise<HostileRecipe[]> {
  const recipes: HostileRecipe[] = []
  for (const name of validFiles) {
    const whole = await read(name)
    for (const cut of cuts) {
      const bytes = whole.subarray(0, Math.floor(whole.length * cut))
      recipes.push({ name: `cut-${cut}-${name}`, bytes, expect: 'any' })
    }
  }
  return recipes
}

async function createWithFfmpeg(directory: string): Promise<void> {
  for (const [name, text] of Object.entries(ffmpegTexts)) await writeFile(join(directory, name), text)
  for (const { name, arguments: given } of ffmpegRecipes) {
    await run('ffmpeg', ['-v', 'error', '-nostdin', '-bitexact', ...given, name], {
      cwd: directory,
    })
  }
}

async function mutate(sources: string, directory: string): Promise<Omit<HostileFile, 'path'>[]> {
  const mutants: Omit<HostileFile, 'path'>[] = []
  for (const victim of validFiles) {
    const whole = await readFile(join(sources, victim))
    for (const mutation of mutations) {
      const name = `zzuf-${mutation.seed}-${victim}`
      await writeFile(join(directory, name), await flipBits(whole, mutation))
      mutants.push({ name, expect: 'any' })
    }
  }
  return mutants
}

async function flipBits(whole: Buffer, { seed, ratio, bytes }: (typeof mutations)[number]) {
  const zzuf = run('zzuf', ['-s', String(seed), '-r', ratio, '-b', bytes], {
    encoding: 'buffer',
    maxBuffer: 2 ** 24,
  })
  zzuf.child.stdin?.end(whole)
  const { stdout } = await zzuf
  if (stdout.length !== whole.length || stdout.equals(whole)) throw new Error('zzuf changed nothing')
  return stdout
}
