/** Finds objects that rows refer to and that do not exist. */
import pMap from 'p-map'
import type { AssetId, OrganizationId } from '../kernel/ids.ts'
import { findAsset, type StoredAsset, storagePrefix } from '../modules/assets/assets.ts'
import { listMediaFiles } from '../modules/renditions/renditions.ts'
import type { Database, OrganizationDb } from '../platform/db/database.ts'
import { inStretches } from './batches.ts'
import type { Buckets } from './buckets.ts'
import { eachHere, isHere } from './local-organizations.ts'
import { type Expected, type Missing, missingOf } from './missing.rules.ts'
import { isSameContent } from './same-content.rules.ts'
import { listAssets } from './stored-objects.ts'

export type MissingOfAsset = Missing & {
  readonly organizationId: OrganizationId
  readonly assetId: AssetId
}

/** Which version of a source file is accepted: the pinned one, or any with its content, as in a copy. */
export type Sources = 'pinned' | 'copied'

/** Checked concurrently. */
const ASSETS_AT_ONCE = 8

export async function* findMissing(
  database: Database,
  buckets: Buckets,
  sources: Sources,
): AsyncGenerator<MissingOfAsset> {
  for await (const { db } of eachHere(database)) {
    const context = { db, buckets, sources }
    for await (const assets of inStretches(listAssets(context.db)))
      yield* await lookAtAll(context, assets)
  }
}

async function lookAtAll(
  context: Scene,
  assets: readonly StoredAsset[],
): Promise<MissingOfAsset[]> {
  const check = ({ id }: StoredAsset) => lookTwice(context, id)
  return (await pMap(assets, check, { concurrency: ASSETS_AT_ONCE })).flat()
}

type Scene = {
  readonly db: OrganizationDb
  readonly buckets: Buckets
  readonly sources: Sources
}

/**
 * Checks twice: objects replaced or deleted between reading the rows and storage are no longer expected at the
 * second check.
 */
async function lookTwice(context: Scene, assetId: AssetId): Promise<MissingOfAsset[]> {
  const first = await look(context, assetId)
  const missing = first.length > 0 ? await look(context, assetId) : first
  // Migrated away since: its objects were moved.
  if (missing.length > 0 && !(await isHere(context.db))) return []
  const { organizationId } = context.db
  return missing.map((object) => ({ ...object, organizationId, assetId }))
}

async function look(context: Scene, id: AssetId): Promise<Missing[]> {
  const { db, buckets } = context
  const expected = await expectedOf(db, id)
  const source = await lookForSource(context, id)
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
    segments: await listMediaFiles(db, id),
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
