/** Rules for versions of assets. */
import type { assets as contract } from '@reelkeep/contract'
import { refused } from '../../kernel/errors.ts'
import type { AssetId, UploadSessionUuid } from '../../kernel/ids.ts'
import type { Timestamp } from '../../kernel/time.ts'
import type { Asset } from '../assets/assets.ts'

export type Version = {
  readonly number: number
  /** The row of assets with the media of the version; for version 1, the asset itself. */
  readonly mediaId: AssetId
  readonly status: contract.VideoStatus
  readonly errorCode: string | null
  readonly errorDetail: string | null
  readonly bytes: number | null
  readonly durationSeconds: number | null
  readonly createdAt: Timestamp
  /** When the version was shown for the first time; null if it never was. */
  readonly activatedAt: Timestamp | null
  readonly isActive: boolean
  readonly uploadSessionUuid: UploadSessionUuid | null
}

/** Versions of an asset that are being uploaded or processed, or that failed and cannot be deleted. */
const PENDING_VERSIONS_MAX = 10

/** The only version of an asset that never had another one. */
export const onlyVersion = (asset: Asset): Version => ({
  ...asset,
  number: 1,
  mediaId: asset.id,
  activatedAt: asset.createdAt,
  isActive: true,
})

const isFailed = ({ status }: Pick<Version, 'status'>) => status === 'Error' || status === 'Cancelled'
const isPlayable = ({ status }: Pick<Version, 'status'>) => status === 'Completed'
const hasEnded = (version: Pick<Version, 'status'>) => isPlayable(version) || isFailed(version)

/**
 * A new version replaces a file, so there must be one, and it must not be in processing. `versions` has failed versions
 * only if they are kept.
 */
export function assertReplaceable(asset: Asset, versions: readonly Version[]): void {
  if (asset.range?.parentId) throw clipNotReplaceable()
  const current = versions.find(({ isActive }) => isActive)
  if (asset.bytes === null || !hasEnded(asset)) throw notReplaceable(asset)
  const pending = versions.filter((version) => version !== current && !isPlayable(version))
  if (pending.length >= PENDING_VERSIONS_MAX) throw tooManyVersions(pending.length)
}

/** Whether a version that is added now would delete another one when it is shown. */
export const wouldDelete = (versions: readonly Version[], kept: number) =>
  versions.filter((version) => version.isActive || isPlayable(version)).length >= kept

/** Versions that will never be shown. */
export const failedVersions = (versions: readonly Version[]) =>
  versions.filter((version) => !version.isActive && isFailed(version))

/**
 * The versions beyond the `kept` best ones: the active one, then playable ones before failed ones, newest first. A
 * version that was just completed is shown next, by a job that may run later, so it is not one of them.
 */
export function versionsToDelete(versions: readonly Version[], kept: number): Version[] {
  const rank = (version: Version) => (version.isActive ? 0 : isPlayable(version) ? 1 : 2)
  return versions
    .filter((version) => version.isActive || (hasEnded(version) && !isNext(version, versions)))
    .toSorted((a, b) => rank(a) - rank(b) || b.number - a.number)
    .slice(kept)
}

/** Whether a version is shown as soon as it is complete: unless a newer one was shown before. */
export const isNext = (version: Version, versions: readonly Version[]) =>
  isPlayable(version) &&
  version.activatedAt === null &&
  versions.every(({ number, activatedAt }) => number < version.number || activatedAt === null)

export function assertPlayable(version: Version): void {
  if (isPlayable(version)) return
  throw refused(
    'version_not_playable',
    `Version ${version.number} cannot be activated: its status is "${version.status}". ${
      isFailed(version) ? 'Upload another version.' : 'It is activated automatically when it is complete.'
    }`,
  )
}

export const versionNotFound = () => refused('version_not_found', 'The version does not exist, or has been deleted.')

const clipNotReplaceable = () =>
  refused(
    'asset_not_replaceable',
    'The asset is a clip, which has no file of its own. Upload the file as a new asset, or as a version of the parent.',
  )

const notReplaceable = ({ bytes, status }: Asset) =>
  refused(
    'asset_not_replaceable',
    bytes === null
      ? 'The asset has no file that a new version could replace. Upload its file first, or create another asset.'
      : `The file of the asset is still being processed (status "${status}"). Wait until it is complete, or cancel it.`,
  )

const tooManyVersions = (count: number) =>
  refused(
    'too_many_versions',
    `${count} versions of the asset are not complete; at most ${PENDING_VERSIONS_MAX} can be. Cancel one, or wait. Under a legal hold, failed versions count too.`,
  )

export const onHold = () =>
  refused(
    'legal_hold',
    'The asset is under legal hold, and a new version would delete an older one. Lift the hold first, or keep more versions.',
  )

export const activated = (number: number) => ({ what: 'version_activated', detail: `Version ${number} is shown.` })
