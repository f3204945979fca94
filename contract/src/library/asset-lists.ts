import { Type } from 'typebox'
import { closed, externalIdField, noParams, searchText, several, tagField, timeFilter } from '../fields.ts'
import type { Operation } from '../operation.ts'
import { boundedCountPage, pageQuery } from '../page.ts'
import { Asset, AssetId, Video, videoStatuses } from './assets.ts'

/** An asset in a list: all fields, or those that the query names. */
export const ListedAsset = Type.Object(
  { ...Type.Partial(Asset).properties, video: Type.Optional(Type.Partial(Video, { title: 'ListedVideo' })) },
  { title: 'ListedAsset', description: 'All fields of an asset, or only those given in `fields`.' },
)
export type ListedAsset = Type.Static<typeof ListedAsset>

/** The names that `fields` accepts. */
export const assetFields: readonly string[] = [
  ...Object.keys(Asset.properties),
  ...Object.keys(Video.properties).map((name) => `video.${name}`),
]
const anyField = `(${assetFields.join('|').replaceAll('.', '\\.')})`

export const assetFeatures = ['subtitles', 'chapters', 'error'] as const

export const assetOrders = [
  'created_at',
  '-created_at',
  'title',
  '-title',
  'updated_at',
  '-updated_at',
  'duration',
  '-duration',
  'bytes',
  '-bytes',
] as const

const durationFilter = (description: string) =>
  Type.Optional(Type.Number({ minimum: 0, maximum: 1_000_000_000, description }))

/** Filters of asset lists and bulk operations. */
export const assetFilters = {
  folder: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'Return only assets directly in this folder; `root` returns those at the root.',
    }),
  ),
  recursive: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'With `folder`: include assets in its subfolders.',
    }),
  ),
  status: several(Type.Enum([...videoStatuses], { type: 'string' }), {
    maxItems: videoStatuses.length,
    description: 'Return only assets whose video has one of these statuses.',
  }),
  tag: several(tagField, {
    maxItems: 10,
    description: 'Return only assets that have all of these tags, ignoring case.',
  }),
  external_id: Type.Optional(externalIdField),
  id: several(AssetId, { maxItems: 100, description: 'Return only the assets with these identifiers.' }),
  created_after: timeFilter('Return only assets created at or after this time.'),
  created_before: timeFilter('Return only assets created before this time.'),
  duration_min: durationFilter('Return only videos of at least this duration, in seconds.'),
  duration_max: durationFilter('Return only videos of at most this duration, in seconds.'),
  has: several(Type.Enum([...assetFeatures], { type: 'string' }), {
    maxItems: assetFeatures.length,
    description: 'Return only assets that have all of these: `subtitles`, `chapters`, or an `error`.',
  }),
  q: searchText('Return only assets whose title contains this text, ignoring case and accents.'),
}
const AssetFilters = Type.Object(assetFilters)
export type AssetFilters = Type.Static<typeof AssetFilters>

export const listAssets = {
  tag: 'Assets',
  idempotent: false,
  id: 'listAssets',
  method: 'GET',
  path: '/assets/',
  summary: 'List assets',
  description:
    'Returns the assets of the organization, newest first unless `order` is given. Filters can be combined; a filter with several values is repeated (`?tag=a&tag=b`). Assets whose upload expired or was cancelled are listed only if `status` includes `Cancelled`.',
  scopes: ['assets:read'],
  params: noParams,
  query: Type.Object(
    {
      ...assetFilters,
      order: Type.Optional(
        Type.Enum([...assetOrders], {
          type: 'string',
          default: '-created_at',
          description:
            'Order of the list; `-` is descending. Titles are in natural order ("Part 2" before "Part 10"). Assets without a duration or size are last in both directions.',
        }),
      ),
      fields: Type.Optional(
        Type.String({
          maxLength: 1000,
          pattern: `^${anyField}(,${anyField})*$`,
          description:
            'Return only these fields of each asset, separated by commas; `video.status` is one field of `video`. Without URLs, a page is a fraction of its size.',
          examples: ['id,title,video.status'],
        }),
      ),
      ...pageQuery,
    },
    closed,
  ),
  body: undefined,
  success: { status: 200, body: boundedCountPage(ListedAsset) },
  errors: ['invalid_cursor', 'target_folder_not_found'],
} as const satisfies Operation

export const operations = [listAssets] as const
