/** The published files of a run: how they are listed, and damaged behind the service. */
import { randomBytes } from 'node:crypto'
import type { Objects, Superuser } from '@reelkeep/testkit'
import { Chance } from '../support/random.ts'

export type PublishedFile = {
  readonly assetId: string
  readonly prefix: string
  readonly name: string
  readonly md5: string
}

/** Uploaded files have an empty name and no step. */
export async function readPublishedFiles(superuser: Superuser): Promise<PublishedFile[]> {
  const rows = await superuser.query<{ assetId: string; prefix: string; names: string[]; md5: Buffer }>(
    `select asset_id as "assetId", prefix, names, md5 from published_files
     where step is distinct from 'video-probe' and replaced_by is null`,
  )
  return rows.flatMap(({ assetId, prefix, names, md5 }) =>
    names.map((name, index) => ({ assetId, prefix, name, md5: md5.toString('hex', 16 * index, 16 * (index + 1)) })),
  )
}

export function keyOf({ prefix, name }: PublishedFile): string {
  return prefix + name
}

/** Path of a file below the asset. */
export function pathOf(file: PublishedFile): string {
  return keyOf(file).split('/').slice(2).join('/')
}

type Damage = { readonly objects: Objects; readonly count: number; readonly seed: number }

/** Replaces or deletes some of the files, and returns them. */
export async function damageFiles(
  files: readonly PublishedFile[],
  { objects, count, seed }: Damage,
): Promise<PublishedFile[]> {
  const chance = new Chance(seed)
  const chosen = files
    .map((file) => ({ file, order: chance.fraction() }))
    .sort((one, other) => one.order - other.order)
    .slice(0, count)
    .map(({ file }) => file)
  for (const file of chosen) {
    const key = keyOf(file)
    const [version] = await objects.versions(key)
    if (!version) throw new Error(`${key} does not exist`)
    const bytes = (await objects.read(version)).length
    const kind = chance.integer(1, 3)
    if (kind === 1) await objects.delete(version)
    else await objects.put(key, randomBytes(kind === 2 ? bytes : Math.floor(bytes / 2)))
  }
  return chosen
}
