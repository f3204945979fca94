import type { assets as contract } from '@reelkeep/contract'
import { refused } from '../../../kernel/errors.ts'
import { isSameMetadata, type MetadataChange, mergeMetadata } from '../../../kernel/metadata.ts'
import { cleanTitle } from '../../../kernel/title.ts'
import type { Folder } from '../../folders/folders.ts'
import type { Asset } from '../assets.rules.ts'
import { cleanTags } from './asset-tags.rules.ts'

/** The fields of an asset that clients can change. */
export type EditableFields = Pick<
  Asset,
  'title' | 'folderUuid' | 'description' | 'tags' | 'externalId' | 'metadata' | 'contentProtection' | 'legalHold'
>

/** The requested change; undefined for fields to keep. */
export type AssetChange = {
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly tags?: readonly string[] | undefined
  readonly externalId?: string | null | undefined
  readonly metadata?: MetadataChange | undefined
  readonly contentProtection?: contract.ContentProtection | undefined
  readonly legalHold?: boolean | undefined
}

/** The data that a change depends on. */
export type EditableAsset = EditableFields & Pick<Asset, 'bytes'>

/** The fields after the change. `folder` is undefined if the asset is not moved, and null for the root. */
export function changed(asset: EditableAsset, change: AssetChange, folder: Folder | null | undefined): EditableFields {
  const { title, description, tags, externalId, metadata, contentProtection, legalHold } = change
  if (contentProtection !== undefined && contentProtection !== asset.contentProtection) assertNotUploaded(asset)
  return {
    title: title === undefined ? asset.title : cleanTitle(title, 'title'),
    folderUuid: folder === undefined ? asset.folderUuid : (folder?.uuid ?? null),
    description: description ?? asset.description,
    tags: tags === undefined ? asset.tags : cleanTags(tags),
    externalId: externalId === undefined ? asset.externalId : externalId,
    metadata: metadata === undefined ? asset.metadata : mergeMetadata(asset.metadata, metadata),
    contentProtection: contentProtection ?? asset.contentProtection,
    legalHold: legalHold ?? asset.legalHold,
  }
}

/** The version of an asset for its ETag: the fields that clients can change. */
export const versionOf = (asset: EditableFields & Pick<Asset, 'range'>) => [
  asset.title,
  asset.folderUuid,
  asset.description,
  asset.tags,
  asset.externalId,
  asset.metadata,
  asset.contentProtection,
  asset.legalHold,
  asset.range?.isTrimmed ? [asset.range.startFrame, asset.range.endFrame] : null,
]

/** Timeline entries of the change; empty if nothing has changed. */
export function entriesOf(before: EditableFields, after: EditableFields, folder: Folder | null) {
  const updated = otherFields.filter(({ isSame }) => !isSame(before, after)).map(({ name }) => name)
  return [
    ...(before.title === after.title ? [] : [renamed(before.title, after.title)]),
    ...(before.folderUuid === after.folderUuid ? [] : [moved(folder)]),
    ...(updated.length === 0 ? [] : [{ what: 'updated', detail: `Changed: ${updated.join(', ')}.` }]),
  ]
}

type Comparison = { readonly name: string; readonly isSame: (a: EditableFields, b: EditableFields) => boolean }

const otherFields: readonly Comparison[] = [
  { name: 'description', isSame: (a, b) => a.description === b.description },
  { name: 'tags', isSame: (a, b) => a.tags.join('\n') === b.tags.join('\n') },
  { name: 'external id', isSame: (a, b) => a.externalId === b.externalId },
  { name: 'metadata', isSame: (a, b) => isSameMetadata(a.metadata, b.metadata) },
  { name: 'legal hold', isSame: (a, b) => a.legalHold === b.legalHold },
  { name: 'content protection', isSame: (a, b) => a.contentProtection === b.contentProtection },
]

const renamed = (from: string, to: string) => ({
  what: 'renamed',
  detail: `Renamed from "${from}" to "${to}".`,
})

const moved = (folder: Folder | null) => ({
  what: 'moved',
  detail: folder ? `Moved to the folder "${folder.title}" (${folder.uuid}).` : 'Moved to the root folder.',
})

function assertNotUploaded({ bytes }: EditableAsset): void {
  if (bytes === null) return
  throw refused(
    'protection_fixed',
    'The file has been uploaded, so its content protection can no longer be changed. Upload it in a new session.',
    'content_protection_type',
  )
}
