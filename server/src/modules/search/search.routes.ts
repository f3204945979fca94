import { search as contract } from '@reelkeep/contract'
import type { AssetId } from '../../kernel/ids.ts'
import { pageRequestOf, toPage, toUncountedPage } from '../../platform/http/page.ts'
import { type Api, type PlaybackBase, route } from '../../platform/http/route.ts'
import type { Asset } from '../assets/assets.ts'
import { assetWire } from '../assets/assets.wire.ts'
import { searchedTexts } from './search.rules.ts'
import {
  type HighlightedMoment,
  isMomentKey,
  isResultKey,
  type SearchedAsset,
  searchAsset,
  searchAssets,
} from './search.ts'
import type { Meanings } from './semantic/meanings.ts'

/** Returns the URL of the page that plays an asset. */
type PageOf = (asset: Asset) => string

/** `embedUrl` returns the URL of the embed page with this playback token. */
export type EmbedUrl = (asset: Asset, token: string) => string

export function registerSearchRoutes(api: Api, embedUrl: EmbedUrl, meanings: Meanings | undefined): void {
  const pageFor = (playbackBase: PlaybackBase): PageOf => {
    return (asset) => embedUrl(asset, tokenIn(playbackBase(asset)))
  }

  route(api, contract.searchMoments, async ({ db, query, listUrl, playbackBase }) => {
    const input = {
      text: query.q,
      texts: searchedTexts(query.in),
      folder: query.folder,
      isRecursive: query.recursive ?? false,
      tags: query.tag ?? [],
      mode: query.mode,
      meanings,
    }
    const found = await searchAssets(db, input, pageRequestOf(query, isResultKey))
    const page = toUncountedPage(listUrl, found, toResult(playbackBase, pageFor(playbackBase)))
    return { count: found.count, count_is_exact: found.count !== null, ...page }
  })

  route(api, contract.searchAsset, async ({ db, params, query, listUrl, playbackBase }) => {
    const input = { text: query.q, texts: searchedTexts(query.in), assetId: params.asset_id as AssetId }
    const found = await searchAsset(db, input, pageRequestOf(query, isMomentKey))
    return toPage(listUrl, found, toMoment(pageFor(playbackBase)(found.asset)))
  })
}

/** A playback URL is `<prefix>/<token>/<organization>/<asset>/`. */
const tokenIn = (base: string) => base.split('/').at(-4) ?? ''

const toResult =
  (playbackBase: PlaybackBase, pageOf: PageOf) =>
  ({ asset, score, moments }: SearchedAsset): contract.SearchResult => ({
    asset: assetWire(playbackBase)(asset),
    score,
    moments: moments.map(toMoment(pageOf(asset))),
  })

const toMoment =
  (page: string) =>
  ({ kind, startMs, endMs, text, highlights, language, subtitleId, score }: HighlightedMoment): contract.Moment => ({
    kind,
    start_seconds: startMs / 1000,
    end_seconds: endMs === null ? null : endMs / 1000,
    text,
    highlights: highlights.map(({ start, end }) => ({ start, end })),
    language: language === '' ? null : language,
    subtitle_id: subtitleId,
    score,
    link: startMs === 0 ? page : `${page}#t=${startMs / 1000}`,
  })
