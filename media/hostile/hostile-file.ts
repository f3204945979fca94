import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { UnusableMediaCode } from '../src/probe/unusable-media.ts'

/** Expected result of a probe: refused (with one of the codes, if given), or any result that does no harm. */
export type Expectation = {
  readonly expect: 'refused' | 'any'
  readonly codes?: readonly UnusableMediaCode[]
}

export type HostileFile = Expectation & { readonly name: string; readonly path: string }

/** Reads the list of a folder that `createHostileCorpus` has created. */
export async function readHostileCorpus(folder: string): Promise<HostileFile[]> {
  const files = JSON.parse(await readFile(join(folder, 'corpus.json'), 'utf8')) as Omit<HostileFile, 'path'>[]
  return files.map((file) => ({ ...file, path: join(folder, file.name) }))
}

/** A hostile file that has not been written to disk yet. */
export type HostileRecipe = Expectation & { readonly name: string; readonly bytes: Buffer }

export const refused = (
  name: string,
  bytes: Buffer | string,
  ...codes: readonly UnusableMediaCode[]
): HostileRecipe => ({
  ...{ name, expect: 'refused', codes },
  bytes: typeof bytes === 'string' ? Buffer.from(bytes) : bytes,
})
export const anyResult = (name: string, bytes: Buffer): HostileRecipe => ({
  name,
  bytes,
  expect: 'any',
})
