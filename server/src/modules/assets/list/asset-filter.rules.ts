/** The validated filter of a request for an asset list. */
import type { assetLists, assets as contract } from '@reelkeep/contract'
import { refused } from '../../../kernel/errors.ts'
import type { AssetId } from '../../../kernel/ids.ts'
import type { Limits } from '../../../kernel/limits.ts'
import type { Needle } from '../../../kernel/search-text.ts'
import { toUtc } from '../../../kernel/time.ts'
import type { Folder } from '../../folders/folders.ts'
import { tagKeyOf } from '../changes/asset-tags.rules.ts'

/** Which assets to list: all, those at the root, those in a folder, or those in a folder's subtree. */
export type AssetLocation =
  | { readonly kind: 'anywhere' | 'root' }
  | { readonly kind: 'folder' | 'subtree'; readonly folder: Folder }

type Feature = (typeof assetLists.assetFeatures)[number]

/** A range of times, `until` excluded; undefined for no limit. */
type TimeRange = { readonly from: string | undefined; readonly until: string | undefined }
type SecondsRange = { readonly min: number | undefined; readonly max: number | undefined }

/** Conditions of a list; all of them must be true. A condition that is undefined or empty is true for all assets. */
export type AssetFilter = {
  readonly location: AssetLocation
  readonly statuses: readonly contract.VideoStatus[]
  readonly tagKeys: readonly string[]
  readonly externalId: string | undefined
  readonly ids: readonly AssetId[] | undefined
  readonly created: TimeRange | undefined
  readonly duration: SecondsRange | undefined
  readonly has: readonly Feature[]
  readonly needle: Needle | undefined
  /** The limits of the principal. */
  readonly limits: Limits | undefined
}

/** The filter of a request, apart from its location, text and limits. */
export type AssetFilterInput = {
  readonly statuses?: readonly contract.VideoStatus[] | undefined
  readonly tags?: readonly string[] | undefined
  readonly externalId?: string | undefined
  readonly ids?: readonly string[] | undefined
  readonly createdAfter?: string | undefined
  readonly createdBefore?: string | undefined
  readonly durationMin?: number | undefined
  readonly durationMax?: number | undefined
  readonly has?: readonly Feature[] | undefined
}

export function filterOf(input: AssetFilterInput): Omit<AssetFilter, 'location' | 'needle' | 'limits'> {
  const { statuses = [], tags = [], externalId, ids, durationMin: min, durationMax: max, has = [] } = input
  const from = utcOf(input.createdAfter, 'created_after')
  const until = utcOf(input.createdBefore, 'created_before')
  return {
    statuses: distinct(statuses),
    tagKeys: distinct(tags.map((tag) => tagKeyOf(tag.trim().normalize('NFC')))),
    externalId,
    ids: ids as readonly AssetId[] | undefined,
    created: from === undefined && until === undefined ? undefined : { from, until },
    duration: min === undefined && max === undefined ? undefined : { min, max },
    has,
  }
}

const distinct = <Value>(values: readonly Value[]): Value[] => [...new Set(values)]

function utcOf(text: string | undefined, field: string): string | undefined {
  if (text === undefined) return undefined
  const utc = toUtc(text)
  if (utc === undefined) throw refused('invalid_request', `\`${field}\` must be a time from 2000 to 9000.`, field)
  return utc
}
