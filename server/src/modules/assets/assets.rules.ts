import type { assets as contract, FailureCode } from '@reelkeep/contract'
import { refused } from '../../kernel/errors.ts'
import type { AssetId, FolderUuid, OrganizationId, UploadSessionUuid } from '../../kernel/ids.ts'
import type { Metadata } from '../../kernel/metadata.ts'
import type { Timestamp } from '../../kernel/time.ts'
import type { CreatorRow } from '../grants/grants.ts'
import type { ShownRange } from './range/shown-range.rules.ts'

declare const located: unique symbol

/** A failure that the API shows with the asset. */
export type Failure = { readonly code: FailureCode; readonly detail: string }

/** The uploaded file: one version of one object in storage. */
export type Source = {
  readonly key: string
  readonly version: string
  readonly etag: string
  readonly bytes: number
}

/** Result of probing the uploaded file. Stored with all other fields that the probe returns. */
export type Probed = {
  readonly durationSeconds: number
  /** Display size. */
  readonly width: number
  readonly height: number
  /** Frames per second, rounded to three decimals; null if the rate is variable or unknown. */
  readonly frameRate: number | null
  /** Chapters as found in the file, not validated. */
  readonly chapters: readonly { readonly startSeconds: number; readonly title: string }[]
  /** Container of the file, such as "matroska". */
  readonly container?: string
  /** Subtitle streams of the file; missing in probe results of older releases. */
  readonly subtitles?: readonly { readonly isText: boolean }[]
}

/** A video rendition as the API shows it. */
export type Rendition = {
  readonly name: contract.Resolution
  readonly width: number
  readonly height: number
  readonly bitrateMax: number
  readonly bytes: number
  readonly segmentsTotal: number
  /** Number of playable segments; `segmentsUnderWay` is the fractional number being encoded now. */
  readonly segmentsDone: number
  readonly segmentsUnderWay: number
}

/** A subtitle track as the API shows it with the asset. */
type Subtitles = {
  readonly id: string
  readonly language: string
  readonly label: string
  readonly origin: string
  readonly key: string
}

/**
 * An asset that was looked up inside its organization. Functions take this branded type instead of an id, so that an
 * asset of another organization cannot be used by mistake.
 */
export type Asset = CreatorRow & {
  readonly organizationId: OrganizationId
  readonly id: AssetId
  readonly title: string
  readonly folderUuid: FolderUuid | null
  readonly description: string
  readonly tags: readonly string[]
  readonly externalId: string | null
  readonly metadata: Metadata
  /** Null for a clip, which has no file of its own. */
  readonly uploadSessionUuid: UploadSessionUuid | null
  /** The asset that this row is a version of; null for the assets that clients see. */
  readonly versionOfId: AssetId | null
  /** Number of the version that is shown; in a row that is a version, its own number. */
  readonly version: number
  /** The version whose media is shown; null if it is this row. */
  readonly shownMediaId: AssetId | null
  readonly bytes: number | null
  readonly status: contract.VideoStatus
  readonly errorCode: string | null
  readonly errorDetail: string | null
  readonly resolutions: readonly contract.Resolution[]
  readonly contentProtection: contract.ContentProtection
  readonly generateSubtitle: boolean
  /** Duration; null until the file has been probed, like the display width and height. */
  readonly durationSeconds: number | null
  readonly width: number | null
  readonly height: number | null
  /** Null also if it is variable or unknown. */
  readonly frameRate: number | null
  /** Time from which the beginning of the video can be played. */
  readonly playableAt: Timestamp | null
  /** Storage keys of the images. */
  readonly coverKey: string | null
  /** The cover that the client chose, and the id of the one that is being created. */
  readonly customCoverKey: string | null
  readonly coverRequest: string | null
  readonly thumbnailKeys: readonly string[]
  readonly storyboardKey: string | null
  readonly filmstripKey: string | null
  /** Storage key of the loudness of the audio. */
  readonly waveformKey: string | null
  /** Video renditions, smallest first; empty until the encoding is planned. */
  readonly renditions: readonly Rendition[]
  /** All segments of all renditions and of the audio are playable. */
  readonly isWhole: boolean
  readonly subtitles: readonly Subtitles[]
  /** The part of the media that is shown; null for the whole. */
  readonly range: ShownRange | null
  readonly legalHold: boolean
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
  /** The times when the asset was moved to the trash and when it is purged. */
  readonly deletedAt: Timestamp | null
  readonly purgeAt: Timestamp | null
  readonly [located]: true
}

/** The id under which renditions, keys and files of the shown version are stored. */
export const mediaIdOf = ({ id, shownMediaId }: Pick<Asset, 'id' | 'shownMediaId'>): AssetId => shownMediaId ?? id

/** The failure of an asset or upload session, or null. */
export const failureOf = ({ errorCode, errorDetail }: Pick<Asset, 'errorCode' | 'errorDetail'>) =>
  errorCode === null || errorDetail === null ? null : { code: errorCode, detail: errorDetail }

/** Allowed status changes. */
const nextStatuses: Record<contract.VideoStatus, readonly contract.VideoStatus[]> = {
  'Not Started': ['Queued', 'Error', 'Cancelled'],
  Queued: ['Processing', 'Error', 'Cancelled'],
  Processing: ['Completed', 'Error', 'Cancelled'],
  Completed: [],
  Error: ['Queued'],
  Cancelled: ['Queued'],
}

export const statusesLeadingTo = (status: contract.VideoStatus): contract.VideoStatus[] =>
  statuses.filter((earlier) => nextStatuses[earlier].includes(status))

const statuses = Object.keys(nextStatuses) as contract.VideoStatus[]

/** Storage key of the cover to show. */
export const coverKeyOf = ({ customCoverKey, coverKey }: Pick<Asset, 'customCoverKey' | 'coverKey'>): string | null =>
  customCoverKey ?? coverKey

/** Prefix of all objects of an asset in storage. No other object has it. */
export const storagePrefix = (organizationId: OrganizationId, assetId: AssetId) => `${organizationId}/${assetId}/`

/**
 * Folder of the files of a version in playback URLs. An asset with its own media has none, so its URLs stay valid.
 * Those of a clip are at `v1/`.
 */
export const versionFolder = ({ shownMediaId, version }: Pick<Asset, 'shownMediaId' | 'version'>) =>
  shownMediaId === null ? '' : `v${version}/`

/** The path of a stored file in playback URLs, after the asset id. */
export function playbackPath(
  asset: Pick<Asset, 'organizationId' | 'id' | 'shownMediaId' | 'version'>,
  key: string,
): string {
  const own = storagePrefix(asset.organizationId, asset.id)
  if (key.startsWith(own)) return key.slice(own.length)
  return versionFolder(asset) + key.slice(storagePrefix(asset.organizationId, mediaIdOf(asset)).length)
}

export const assetNotFound = () => refused('asset_not_found', 'The asset does not exist in this organization.')

export const targetFolderNotFound = (uuid: string) =>
  refused(
    'target_folder_not_found',
    uuid === 'root' || uuid === 'null'
      ? '`folder` is not a folder uuid. For the root, send null in a body, or `folder=root` in a query.'
      : `Folder ${uuid} does not exist in this organization.`,
    'folder',
  )

/** The asset that has an external id. */
export type ExternalIdOwner = { readonly id: AssetId; readonly isInTrash: boolean }

/** `other` is undefined if the other asset no longer exists. */
export const externalIdTaken = (externalId: string, other: ExternalIdOwner | undefined) =>
  refused(
    'external_id_taken',
    `${other ? `The asset ${other.id}${other.isInTrash ? ' in the trash' : ''}` : 'Another asset'} has the external_id ${JSON.stringify(externalId)}. Choose a different one, or remove it there.`,
    'external_id',
  )

/** The message is the same as for other missing fields. */
export const resolutionsRequired = () => refused('invalid_request', '`resolutions` is required.', 'resolutions')

export const drmNotConfigured = () =>
  refused(
    'drm_not_configured',
    'DRM is not configured on this service. Choose `aes` or `disable`, or ask the operator to set DRM_PROVIDER to `clearkey` or `speke`.',
    'content_protection_type',
  )
