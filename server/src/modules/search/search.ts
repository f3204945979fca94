/** Search in the texts of videos. `moments/` writes what is searched here. */
import type { AssetId, FolderUuid } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { type PageRequest, type RowPage, toRowPage } from '../../platform/db/paging/keyset.ts'
import { type Asset, findAssets, requireAsset, tagKeysOf, targetFolderNotFound } from '../assets/assets.ts'
import { findFolder } from '../folders/folders.ts'
import {
  isMomentKey,
  isResultKey,
  type MomentKind,
  modeFor,
  type SearchedText,
  type SearchMode,
} from './search.rules.ts'
import * as store from './search.store.ts'
import { type Highlight, highlightsOf, joined, startOfWords } from './search-highlights.rules.ts'
import { type Meanings, meaningOf } from './semantic/meanings.ts'

export { isMomentKey, isResultKey }

export type SearchInput = {
  readonly text: string
  readonly texts: readonly SearchedText[]
}

export type AssetSearchInput = SearchInput & {
  /** A folder's uuid, or `root`; undefined for all assets. */
  readonly folder: string | undefined
  readonly isRecursive: boolean
  readonly tags: readonly string[]
  /** Undefined for the best one that is available. */
  readonly mode: SearchMode | undefined
}

/** A moment with the positions of the words that match. */
export type HighlightedMoment = Omit<store.FoundMoment, 'marked' | 'cues' | 'nearMs'> & {
  readonly highlights: readonly Highlight[]
}

export type SearchedAsset = {
  readonly asset: Asset
  readonly score: number
  readonly moments: readonly HighlightedMoment[]
}

const nothing = { rows: [], next: null, previous: null, count: 0 } as const

/** Assets in order of relevance. `count` is null if only a part of the moments was ranked. */
export async function searchAssets(
  db: OrganizationDb,
  { meanings, ...input }: AssetSearchInput & { readonly meanings: Meanings | undefined },
  request: PageRequest,
): Promise<RowPage<SearchedAsset> & { count: number | null }> {
  const location = await locationOf(db, input)
  const meaning = await meaningOf(meanings, input)
  const words = await store.readTextQuery(db, input.text)
  const mode = modeFor(input.mode, { hasWords: words !== undefined, hasMeaning: meaning !== undefined })
  if (!mode) return nothing
  const query = { ...(words ?? noWords), ...(meaning ?? noMeaning), mode }
  const tagKeys = tagKeysOf(input.tags)
  const has = (text: SearchedText) => input.texts.includes(text)
  const texts = { titles: has('titles'), chapters: has('chapters'), transcript: has('transcript') }
  const filter = { ...location, tagKeys, tagCount: tagKeys.length, assetIds: [] }
  const scope = await scopeOf(db, filter)
  if (scope?.assetIds.length === 0) return nothing
  const assets = scope?.isComplete ? { place: 'assets' as const, tagKeys: [], tagCount: 0 } : {}
  const search = { ...query, ...texts, ...filter, ...assets, assetIds: scope?.assetIds ?? [] }
  const found = await store.selectFoundAssets(db, search, request)
  const page = toRowPage(found, request, ({ score, assetId }) => [score, assetId])
  const [first] = found
  const count = first && !first.isComplete ? null : (first?.count ?? 0)
  return { ...page, rows: await withAssets(db, page.rows), count }
}

type Filter = Parameters<typeof store.selectScope>[1]

/**
 * The assets that can be found: a common word has many hits outside of a small folder. Undefined if all can be found.
 */
async function scopeOf(db: OrganizationDb, filter: Omit<Filter, 'isLimited'>): Promise<store.Scope | undefined> {
  const isEverything = filter.place === 'anywhere' && filter.tagCount === 0 && db.limits === undefined
  return isEverything ? undefined : store.selectScope(db, { ...filter, isLimited: db.limits?.folderUuid !== undefined })
}

const noWords: store.TextQuery = { query: '', display: '' }
const noMeaning: store.Meaning = { model: 0, fingerprint: '' }

/** An asset that was deleted after the search is left out. */
async function withAssets(db: OrganizationDb, found: readonly store.FoundAsset[]): Promise<SearchedAsset[]> {
  const assets =
    found.length === 0
      ? []
      : await findAssets(
          db,
          found.map(({ assetId }) => assetId),
        )
  const byId = new Map(assets.map((asset) => [asset.id, asset]))
  return found.flatMap(({ assetId, score, moments }) => {
    const asset = byId.get(assetId)
    return asset ? [{ asset, score: Number(score), moments: withoutRepeated(moments.map(highlighted)) }] : []
  })
}

async function locationOf(
  db: OrganizationDb,
  { folder: text, isRecursive }: AssetSearchInput,
): Promise<{ readonly place: store.SearchPlace; readonly folderUuid: FolderUuid | null }> {
  if (text === undefined || (text === 'root' && isRecursive)) return { place: 'anywhere', folderUuid: null }
  if (text === 'root') return { place: 'root', folderUuid: null }
  const folder = await findFolder(db, text)
  if (!folder) throw targetFolderNotFound(text)
  return { place: isRecursive ? 'subtree' : 'folder', folderUuid: folder.uuid }
}

/** All moments of an asset that match, in the order of their start. */
export async function searchAsset(
  db: OrganizationDb,
  { assetId, text, texts }: SearchInput & { readonly assetId: AssetId },
  request: PageRequest,
): Promise<RowPage<HighlightedMoment> & { asset: Asset; count: number }> {
  const asset = await requireAsset(db, assetId)
  const query = await store.readTextQuery(db, text)
  if (!query) return { ...nothing, asset }
  const kinds = texts.flatMap((name) => kindsOf[name])
  const { rows, count } = await store.selectMoments(db, { ...query, assetId, kinds }, request)
  const page = toRowPage(rows, request, ({ startMs, source, number }) => [String(startMs), source, String(number)])
  return { ...page, rows: withoutRepeated(page.rows.map(highlighted)), asset, count }
}

const kindsOf: Record<SearchedText, readonly MomentKind[]> = {
  titles: ['title', 'description', 'tag'],
  chapters: ['chapter'],
  transcript: ['transcript'],
}

function highlighted({ marked, cues, nearMs, ...moment }: store.FoundMoment): HighlightedMoment {
  const highlights = joined(marked.flatMap((one) => highlightsOf(moment.text, one)))
  const startOfSentence = moment.kind === 'transcript' ? nearMs : null
  return { ...moment, highlights, startMs: startOfWords(cues ?? [], highlights) ?? startOfSentence ?? moment.startMs }
}

/** Parts of a transcript overlap, so the same words can be found twice. */
function withoutRepeated(moments: readonly HighlightedMoment[]): HighlightedMoment[] {
  const starts = new Set<string>()
  return moments.filter(({ source, startMs, kind }) => {
    const start = `${source} ${startMs}`
    const isNew = kind !== 'transcript' || !starts.has(start)
    starts.add(start)
    return isNew
  })
}
