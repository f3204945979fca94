import type { assets as contract, FailureCode } from '@reelkeep/contract'
import { refused } from '../../kernel/errors.ts'
import type { AssetId, FolderUuid, OrganizationId } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'
import type { Folder } from '../folders/folders.ts'

declare const located: unique symbol

/** A failure that stays with the asset for its owner to read. */
export type Failure = { readonly code: FailureCode; readonly detail: string }

/** The uploaded file: one version of one object of storage's. */
export type Source = {
  readonly key: string
  readonly version: string
  readonly etag: string
  readonly bytes: number
}

/** What looking into the uploaded file has shown. It is kept with whatever more is known. */
export type Probed = {
  readonly durationSeconds: number
  /** As the picture is shown. */
  readonly width: number
  readonly height: number
  /** As they stand in the file; whoever takes them over checks them. */
  readonly chapters: readonly { readonly startSeconds: number; readonly title: string }[]
  /** Absent of what was looked into before they were looked for. */
  readonly subtitles?: readonly { readonly isText: boolean }[]
}

/** One size of the picture, as far as callers see it. */
export type Rendition = {
  readonly name: contract.Resolution
  readonly width: number
  readonly height: number
  readonly bitrateMax: number
  readonly bytes: number
  readonly segmentsTotal: number
  /** That can be played; and those that somebody is making at this moment, in parts of one. */
  readonly segmentsDone: number
  readonly segmentsUnderWay: number
}

/** A track of words, as far as callers see it with the asset. */
type Subtitles = {
  readonly id: string
  readonly language: string
  readonly label: string
  readonly origin: string
  readonly key: string
}

/**
 * An asset that was looked up inside its organization. What wants an asset of the caller's asks for this
 * value instead of a bare identifier, so one of a foreign organization cannot be reached by mistake.
 */
export type Asset = {
  readonly organizationId: OrganizationId
  readonly id: AssetId
  readonly title: string
  readonly folderUuid: FolderUuid | null
  readonly bytes: number | null
  readonly status: contract.VideoStatus
  readonly errorCode: string | null
  readonly errorDetail: string | null
  readonly resolutions: readonly contract.Resolution[]
  readonly contentProtection: contract.ContentProtection
  readonly generateSubtitle: boolean
  /** Null until the file has been looked into; so are the width and height, as the picture is shown. */
  readonly durationSeconds: number | null
  readonly width: number | null
  readonly height: number | null
  /** Since when its beginning can be played. */
  readonly playableAt: Timestamp | null
  /** In storage. */
  readonly coverKey: string | null
  readonly thumbnailKeys: readonly string[]
  readonly storyboardKey: string | null
  /** Smallest first; none until it is known what is made. */
  readonly renditions: readonly Rendition[]
  /** Every segment of all of them is there, and of the sound, which is none of them. */
  readonly isWhole: boolean
  readonly subtitles: readonly Subtitles[]
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
  readonly [located]: true
}

/** What went wrong, of anything that keeps it in these two fields. */
export const failureOf = ({ errorCode, errorDetail }: Pick<Asset, 'errorCode' | 'errorDetail'>) =>
  errorCode === null || errorDetail === null ? null : { code: errorCode, detail: errorDetail }

/** Which status may follow which. Whoever changes one consults this table. */
const followers: Record<contract.VideoStatus, readonly contract.VideoStatus[]> = {
  'Not Started': ['Queued', 'Error'],
  Queued: ['Processing', 'Error', 'Cancelled'],
  Processing: ['Completed', 'Error', 'Cancelled'],
  Completed: [],
  Error: ['Queued'],
  Cancelled: ['Queued'],
}

export const statusesBefore = (status: contract.VideoStatus): contract.VideoStatus[] =>
  statuses.filter((earlier) => followers[earlier].includes(status))

const statuses = Object.keys(followers) as contract.VideoStatus[]

/** Where a list of assets looks. A folder has been looked up, so it is one of the organization's. */
export type AssetPlace =
  | { readonly kind: 'anywhere' | 'root' }
  | { readonly kind: 'folder' | 'subtree'; readonly folder: Folder }

export type AssetFilter = {
  readonly place: AssetPlace
  /** Undefined: whatever it is. */
  readonly status: contract.VideoStatus | undefined
}

/** Everything of an asset in storage lies under this, and nothing else does. */
export const storagePrefix = (organizationId: OrganizationId, assetId: AssetId) =>
  `${organizationId}/${assetId}/`

export const assetNotFound = () => refused('asset_not_found', 'No such asset in this organization.')

export const targetFolderNotFound = (uuid: string) =>
  refused(
    'target_folder_not_found',
    uuid === 'root' || uuid === 'null'
      ? 'For the root, send null as folder in a body; a list takes folder=root.'
      : `There is no folder ${uuid} in this organization.`,
    'folder',
  )

export const renamed = (from: string, to: string) => ({
  what: 'renamed',
  detail: `Renamed from "${from}" to "${to}".`,
})

export const moved = (folder: Folder | null) => ({
  what: 'moved',
  detail: folder
    ? `Moved into the folder "${folder.title}" (${folder.uuid}).`
    : 'Moved to the root.',
})
