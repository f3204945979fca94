/** From the database to the buckets: what rows point at, and is not there. */
import { findAsset, type StoredAsset, storagePrefix } from '../capabilities/assets/assets.ts'
import { listPieces } from '../capabilities/renditions/renditions.ts'
import type { AssetId, OrganizationId } from '../kernel/ids.ts'
import type { Database, OrganizationDb } from '../platform/db/database.ts'
import { eachHere, isHere } from './attended.ts'
import type { Buckets } from './buckets.ts'
import { listAssets } from './holdings.ts'
import { type Expected, type Missing, missingOf } from './missing.rules.ts'
import { isSameContent } from './same-file.rules.ts'
import { inStretches } from './stretches.ts'

export type MissingOfAsset = Missing & {
  readonly organizationId: OrganizationId
  readonly assetId: AssetId
}

/** Which version of a file counts: the one that rows name, or any with its content, as a copy has it. */
export type Sources = 'pinned' | 'copied'

/** Looked at side by side. */
const ASSETS_AT_ONCE = 8

export async function* findMissing(
  database: Database,
  buckets: Buckets,
  sources: Sources,
): AsyncGenerator<MissingOfAsset> {
  for await (const { db } of eachHere(database)) {
    const scene = { db, buckets, sources }
    for await (const assets of inStretches(listAssets(scene.db)))
      yield* await lookAtAll(scene, assets)
  }
}

async function lookAtAll(scene: Scene, assets: readonly StoredAsset[]): Promise<MissingOfAsset[]> {
  const found: MissingOfAsset[] = []
  const queue = assets.values()
  const work = async () => {
    for (const { id } of queue) found.push(...(await lookTwice(scene, id)))
  }
  await Promise.all(Array.from({ length: ASSETS_AT_ONCE }, work))
  return found
}

type Scene = {
  readonly db: OrganizationDb
  readonly buckets: Buckets
  readonly sources: Sources
}

/**
 * What was replaced or deleted between a look at the rows and one at storage is not there at the
 * second look either, in both.
 */
async function lookTwice(scene: Scene, assetId: AssetId): Promise<MissingOfAsset[]> {
  const first = await look(scene, assetId)
  const missing = first.length > 0 ? await look(scene, assetId) : first
  // Gone since: what is not there has been moved.
  if (missing.length > 0 && !(await isHere(scene.db))) return []
  const { organizationId } = scene.db
  return missing.map((one) => ({ ...one, organizationId, assetId }))
}

async function look(scene: Scene, id: AssetId): Promise<Missing[]> {
  const { db, buckets } = scene
  const expected = await expectedOf(db, id)
  const source = await lookForSource(scene, id)
  const there = new Set<string>()
  for await (const { key } of buckets.media.objects.list(storagePrefix(db.organizationId, id))) {
    there.add(key)
  }
  return missingOf(expected, (key) => there.has(key), source)
}

async function expectedOf(db: OrganizationDb, id: AssetId): Promise<Expected> {
  const asset = await findAsset(db, id)
  const isUploaded = ({ origin }: { readonly origin: string }) => origin === 'uploaded'
  const keyOf = ({ key }: { readonly key: string }) => key
  const { coverKey = null, storyboardKey = null, thumbnailKeys = [], subtitles = [] } = asset ?? {}
  return {
    segments: await listPieces(db, id),
    pictures: [coverKey, ...thumbnailKeys, storyboardKey].filter((key) => key !== null),
    made_subtitles: subtitles.filter((track) => !isUploaded(track)).map(keyOf),
    uploaded_subtitles: subtitles.filter(isUploaded).map(keyOf),
  }
}

async function lookForSource({ db, buckets, sources }: Scene, id: AssetId) {
  for await (const { source } of listAssets(db, [id])) {
    if (!source) return undefined
    const { key, version } = source
    const name = sources === 'pinned' ? { key, version } : { key }
    const found = await buckets.uploads.objects.find(name)
    return { key, isThere: isSameContent(source, found) }
  }
  return undefined
}
