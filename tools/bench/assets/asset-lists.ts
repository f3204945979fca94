/** The lists that `pnpm bench assets` measures. */
import type { AssetListOptions } from '@reelkeep/server/modules/assets/list/asset-list.ts'
import type { AssetOrder, SortField } from '@reelkeep/server/modules/assets/list/asset-order.ts'
import { commonWord, LARGE_FOLDER, rareWord, TREE_FOLDERS, TREE_TOP } from './seed-assets.ts'

type MeasuredList = {
  readonly name: string
  readonly options: AssetListOptions
  /** Measures a page after many rows instead of the first. */
  readonly isDeep?: true
}

const fields: SortField[] = ['creation', 'title', 'update', 'duration', 'bytes']
const orders = fields.flatMap((field): AssetOrder[] => [
  { field, direction: 'asc' },
  { field, direction: 'desc' },
])
const byTitle: AssetOrder = { field: 'title', direction: 'asc' }
const tree = { folder: TREE_TOP, isRecursive: true }

const inOrders = orders.flatMap((order): MeasuredList[] => {
  const name = `by ${order.field} ${order.direction}`
  return [
    { name, options: { order } },
    { name: `${name}, page 100,000`, options: { order }, isDeep: true },
  ]
})

const filters: Record<string, AssetListOptions> = {
  'status Completed': { statuses: ['Completed'] },
  'status Error (0.1 %)': { statuses: ['Error'] },
  'status Error or Queued': { statuses: ['Error', 'Queued'] },
  'tag (10 %)': { tags: ['tenth'] },
  'tag (1 %)': { tags: ['hundredth'] },
  'tag (0.01 %)': { tags: ['course-7'] },
  'tag (0.001 %)': { tags: ['rare'] },
  'tag (none)': { tags: ['nothing'] },
  'external id': { externalId: 'external/77' },
  'created after (nearly all)': { createdAfter: '2023-11-14T23:00:00Z' },
  'created before (an hour)': { createdBefore: '2023-11-14T23:13:20Z' },
  'duration of a minute at least': { durationMin: 60 },
  'duration of 60 to 61 s': { durationMin: 60, durationMax: 61 },
  'has subtitles (5 %)': { has: ['subtitles'] },
  'has chapters (2 %)': { has: ['chapters'] },
  'has error (0.1 %)': { has: ['error'] },
  'root (50 %)': { folder: 'root' },
  'folder (30 %)': { folder: LARGE_FOLDER },
  [`subtree (${TREE_FOLDERS} folders, 20 %)`]: tree,
  'q, rare word': { text: rareWord },
  'q, word in every eighth title': { text: commonWord },
  'q, no match': { text: 'no such asset' },
}

const combinations: Record<string, AssetListOptions> = {
  'folder, status Completed, by title': { folder: LARGE_FOLDER, statuses: ['Completed'], order: byTitle },
  'folder, status Error, by title': { folder: LARGE_FOLDER, statuses: ['Error'], order: byTitle },
  'tag (10 %), by title': { tags: ['tenth'], order: byTitle },
  'tag (1 %), by title': { tags: ['hundredth'], order: byTitle },
  'tag (0.01 %), by title': { tags: ['course-7'], order: byTitle },
  'subtree, q rare word': { ...tree, text: rareWord },
  'subtree, q word in every eighth title': { ...tree, text: commonWord },
}

export const measured: readonly MeasuredList[] = [
  ...inOrders,
  ...Object.entries({ ...filters, ...combinations }).map(([name, options]) => ({ name, options })),
]
