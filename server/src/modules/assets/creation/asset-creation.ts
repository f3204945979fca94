/** Creation of assets for uploads. */
import type { assets as contract } from '@reelkeep/contract'
import { type AssetId, type FolderUuid, newAssetId, type TokenId, type UploadSessionUuid } from '../../../kernel/ids.ts'
import type { Metadata } from '../../../kernel/metadata.ts'
import { titleForSearch } from '../../../kernel/search-text.ts'
import { cleanTitle } from '../../../kernel/title.ts'
import type { OrganizationDb } from '../../../platform/db/database.ts'
import { assertNotRoot } from '../../../platform/db/limits.ts'
import type { Query } from '../../../platform/db/statement.ts'
import type { NewEvent } from '../../events/events.ts'
import { findFolder, isFolderUuid } from '../../folders/folders.ts'
import { readSettings } from '../../organizations/organizations.ts'
import { statusReached } from '../assets.events.ts'
import { type Asset, externalIdTaken, resolutionsRequired, targetFolderNotFound } from '../assets.rules.ts'
import * as store from '../assets.store.ts'
import { findByExternalId } from '../changes/asset-changes.store.ts'
import { cleanTags, tagKeyOf } from '../changes/asset-tags.rules.ts'

export type AssetInput = {
  readonly title: string
  readonly folder: string | null
  /** Undefined for the organization's default resolutions. */
  readonly resolutions: readonly contract.Resolution[] | undefined
  /** Null for the organization's default content protection. */
  readonly contentProtection: contract.ContentProtection | null
  readonly generateSubtitle: boolean
  readonly description?: string | undefined
  readonly tags?: readonly string[] | undefined
  readonly externalId?: string | null | undefined
  readonly metadata?: Metadata | undefined
}

/** The creator and the upload session of a new asset. */
type AssetOrigin = { readonly createdBy: TokenId | null; readonly uploadSessionUuid: UploadSessionUuid }

/**
 * A query that inserts an asset, so that the caller can insert dependent rows in the same round trip. Returns no row if
 * the folder does not exist or the external id is taken (`assertInserted` throws the reason); otherwise the caller
 * records the event.
 */
type NewAsset = {
  readonly id: AssetId
  readonly query: Query<Asset>
  readonly events: readonly NewEvent[]
}

export function newAsset(db: OrganizationDb, input: AssetInput, origin: AssetOrigin): NewAsset {
  const { folder: folderUuid, externalId = null, metadata = {} } = input
  if (folderUuid !== null && !isFolderUuid(folderUuid)) throw targetFolderNotFound(folderUuid)
  assertNotRoot(db, folderUuid, 'folder')
  const tags = cleanTags(input.tags ?? [])
  const asset = {
    id: newAssetId(),
    ...titleForSearch(db.organizationId, cleanTitle(input.title, 'title')),
    resolutions: input.resolutions ?? null,
    contentProtection: input.contentProtection,
    generateSubtitle: input.generateSubtitle,
    description: input.description ?? '',
    tags,
    externalId,
    ...origin,
  }
  const events = statusReached({ ...asset, folderUuid, metadata, ...initialState })
  const row = { ...asset, tagKeys: tags.map(tagKeyOf), metadata: JSON.stringify(metadata) }
  return { id: asset.id, query: insertionOf(row, folderUuid), events }
}

function insertionOf(row: store.NewAsset, folderUuid: FolderUuid | null) {
  if (folderUuid !== null) return store.insertInFolder({ ...row, folderUuid })
  return row.externalId === null ? store.insertAtRoot(row) : store.insertAtRootWithExternalId(row)
}

/** Throws the reason why the query of `newAsset` returned no row. */
export async function assertInserted(
  db: OrganizationDb,
  asset: Asset | undefined,
  { folder, externalId, resolutions }: AssetInput,
): Promise<Asset> {
  if (asset) return asset
  // The default was removed after the request was validated.
  if (!resolutions && (await readSettings(db)).defaultResolutions === null) throw resolutionsRequired()
  if (!externalId) throw targetFolderNotFound(String(folder))
  const other = await findByExternalId(db, externalId)
  // The other asset may be outside the limits of the principal.
  if (!other && folder !== null && !(await findFolder(db, folder))) throw targetFolderNotFound(folder)
  throw externalIdTaken(externalId, other)
}

const initialState = {
  status: 'Not Started',
  durationSeconds: null,
  errorCode: null,
  errorDetail: null,
  purgeAt: null,
  versionOfId: null,
  version: 1,
} as const
