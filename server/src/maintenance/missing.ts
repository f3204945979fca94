/** Finds objects that rows refer to and that do not exist. */
import pMap from 'p-map'
import type { AssetId, OrganizationId } from '../kernel/ids.ts'
import { findAsset, type StoredAsset, storagePrefix } from '../modules/assets/assets.ts'
import { listMediaFiles } from '../modules/renditions/renditions.ts'
import { versionKeys } from '../modules/subtitles/subtitles.ts'
import type { Database, OrganizationDb } from '../platform/db/database.ts'
import { inBatches } from './batches.ts'
import type { Buckets } from './buckets.ts'
import { isLocal, localOrganizations } from './local-organizations.ts'
import { type Expected, type Missing, missingKinds } from './missing.rules.ts'
import { isSameContent } from './same-content.rules.ts'
import { listAssets } from './stored-objects.ts'

export type MissingOfAsset = Missing & {
  readonly organizationId: OrganizationId
  readonly assetId: AssetId
}

/** Which version of a source file is accepted: the linked one, or any with its content, as in a copy. */
export type Sources = 'linked' | 'copied'

/** Number of assets checked concurrently. */
const ASSETS_AT_ONCE = 8

export async function* findMissing(
  database: Database,
  buckets: Buckets,
  sources: Sources,
): AsyncGenerator<MissingOfAsset> {
  for await (const { db } of localOrganizations(database)) {
    const context = { db, buckets, sources }
    for await (const assets of inBatches(listAssets(context.db))) yield* await checkAssets(context, assets)
  }
}

async function checkAssets(context: CheckContext, assets: readonly StoredAsset[]): Promise<MissingOfAsset[]> {
  const check = ({ id }: StoredAsset) => checkTwice(context, id)
  return (await pMap(assets, check, { concurrency: ASSETS_AT_ONCE })).flat()
}

type CheckContext = {
  readonly db: OrganizationDb
  readonly buckets: Buckets
  readonly sources: Sources
}

/**
 * Checks twice: objects replaced or deleted between reading the rows and storage are no longer expected at the
 * second check.
 */
async function checkTwice(context: CheckContext, assetId: AssetId): Promise<MissingOfAsset[]> {
  const first = await findMissingObjects(context, assetId)
  const missing = first.length > 0 ? await findMissingObjects(context, assetId) : first
  // Nothing is missing if the organization was migrated away in the meantime, with its objects.
  if (missing.length > 0 && !(await isLocal(context.db))) return []
  const { organizationId } = context.db
  return missing.map((object) => ({ ...object, organizationId, assetId }))
}

async function findMissingObjects(context: CheckContext, id: AssetId): Promise<Missing[]> {
  const { db, buckets } = context
  const expected = await expectedOf(db, id)
  const source = await findSourceFile(context, id)
  const existing = new Set<string>()
  for await (const { key } of buckets.media.objects.list(storagePrefix(db.organizationId, id))) {
    existing.add(key)
  }
  return missingKinds(expected, (key) => existing.has(key), source)
}

async function expectedOf(db: OrganizationDb, id: AssetId): Promise<Expected> {
  const asset = await findAsset(db, id)
  const isUploaded = ({ origin }: { readonly origin: string }) => origin === 'uploaded'
  const keyOf = ({ key }: { readonly key: string }) => key
  const {
    coverKey = null,
    customCoverKey = null,
    storyboardKey = null,
    filmstripKey = null,
    waveformKey = null,
    thumbnailKeys = [],
    subtitles = [],
  } = asset ?? {}
  // The files of another version that the asset shows are checked with that version.
  const isOwn = (key: string) => key.startsWith(storagePrefix(db.organizationId, id))
  return {
    segments: await listMediaFiles(db, id),
    thumbnails: [coverKey, ...thumbnailKeys, storyboardKey, filmstripKey, waveformKey]
      .filter((key) => key !== null)
      .filter(isOwn),
    covers: customCoverKey === null ? [] : [customCoverKey],
    generated_subtitles: subtitles
      .filter((track) => !isUploaded(track))
      .map(keyOf)
      .filter(isOwn),
    uploaded_subtitles: [...new Set([...subtitles.filter(isUploaded).map(keyOf), ...(await versionKeys(db, id))])],
  }
}

async function findSourceFile({ db, buckets, sources }: CheckContext, id: AssetId) {
  for await (const { source } of listAssets(db, [id])) {
    if (!source) return undefined
    const { key, version } = source
    const name = sources === 'linked' ? { key, version } : { key }
    const found = await buckets.uploads.objects.find(name)
    return { key, exists: isSameContent(source, found) }
  }
  return undefined
}
