import { Type } from 'typebox'
import { closed, noParams, nullable, openSet, several, tagField } from '../fields.ts'
import type { Operation } from '../operation.ts'
import { boundedCountPage, page, pageQuery } from '../page.ts'
import { assetFilters } from './asset-lists.ts'
import { Asset, AssetId } from './assets.ts'

/** Maximum number of moments of an asset in the results of a search. */
export const MOMENTS_PER_ASSET_MAX = 5

export const momentKinds = ['title', 'description', 'tag', 'chapter', 'transcript'] as const

/** Values of `in`. */
export const searchedTexts = ['titles', 'chapters', 'transcript'] as const
const anyText = `(${searchedTexts.join('|')})`

const Highlight = Type.Object(
  { start: Type.Integer({ minimum: 0 }), end: Type.Integer({ minimum: 0 }) },
  { title: 'Highlight' },
)

export const Moment = Type.Object(
  {
    kind: openSet(momentKinds, { description: 'The text that contains the words.', examples: ['transcript'] }),
    start_seconds: Type.Number({
      minimum: 0,
      description:
        'When the words are said, which may be after the beginning of `text`; 0 for title, description and tags.',
      examples: [83.2],
    }),
    end_seconds: nullable(Type.Number({ minimum: 0 }), 'Null if the moment is the whole video.'),
    text: Type.String({
      description: 'Plain text, at most 5,000 characters. Escape it before you insert it into HTML.',
      examples: ['and that is why plants look green'],
    }),
    highlights: Type.Array(Highlight, {
      description:
        'The words in `text` that match, in order: `start` and `end` count UTF-16 code units, as `text.slice(start, end)` of JavaScript does.',
    }),
    language: nullable(Type.String(), 'BCP 47 tag of the subtitle track; null for other kinds.'),
    subtitle_id: nullable(Type.String({ format: 'uuid' }), 'The subtitle track; null for other kinds.'),
    score: Type.Number({ minimum: 0, description: 'Relevance; comparable only within the same response.' }),
    link: Type.String({
      format: 'uri',
      description:
        'Page that plays the video from this second. It contains a playback token and expires like `playback_url`.',
    }),
  },
  { title: 'Moment' },
)
export type Moment = Type.Static<typeof Moment>

export const SearchResult = Type.Object(
  {
    asset: Asset,
    score: Type.Number({
      minimum: 0,
      description: 'Relevance of the video; comparable only within the same response.',
    }),
    moments: Type.Array(Moment, {
      maxItems: MOMENTS_PER_ASSET_MAX,
      description: 'The most relevant moments, at most 5, best first.',
    }),
  },
  { title: 'SearchResult' },
)
export type SearchResult = Type.Static<typeof SearchResult>

const searchQuery = {
  q: Type.String({
    minLength: 1,
    maxLength: 200,
    pattern: '^[^\\u0000]*$',
    description:
      'The words to find, at most 16. When words are compared, a moment must contain all of them; case, accents and, in 28 languages, endings are ignored. The last word may be incomplete.',
    examples: ['photosynthesis'],
  }),
  in: Type.Optional(
    Type.String({
      maxLength: 100,
      pattern: `^${anyText}(,${anyText})*$`,
      description:
        'Search only these texts, separated by commas: `titles` (also descriptions and tags), `chapters`, `transcript`.',
      examples: ['chapters,transcript'],
    }),
  ),
}

export const searchModes = ['lexical', 'semantic', 'hybrid'] as const

export const searchMoments = {
  tag: 'Search',
  idempotent: false,
  id: 'searchMoments',
  method: 'GET',
  path: '/search/',
  summary: 'Search in videos',
  description:
    'Finds words in titles, descriptions, tags, chapters and subtitles, and returns the videos in order of relevance, each with the moments at which the words are shown or said. `count` is null if meanings are compared, and for very common words, of which only some of the moments are ranked. A changed text is found by its words at once, and by its meaning a few seconds later.',
  scopes: ['assets:read'],
  params: noParams,
  query: Type.Object(
    {
      ...searchQuery,
      mode: Type.Optional(
        Type.Enum([...searchModes], {
          type: 'string',
          description:
            '`lexical` finds words. `semantic` finds moments with a similar meaning, and `hybrid` combines both; they need an embeddings server, which the service may not have. Without `mode`, the search is hybrid if possible, otherwise lexical.',
        }),
      ),
      folder: assetFilters.folder,
      recursive: assetFilters.recursive,
      tag: several(tagField, {
        maxItems: 10,
        description: 'Return only assets that have all of these tags, ignoring case.',
      }),
      ...pageQuery,
    },
    closed,
  ),
  body: undefined,
  success: { status: 200, body: boundedCountPage(SearchResult) },
  errors: ['invalid_cursor', 'search_mode_not_available', 'target_folder_not_found'],
} as const satisfies Operation

export const searchAsset = {
  tag: 'Search',
  idempotent: false,
  id: 'searchAsset',
  method: 'GET',
  path: '/assets/:asset_id/search/',
  summary: 'Search in a video',
  description: 'Returns all moments of the video that contain the words, in the order of their start.',
  scopes: ['assets:read'],
  params: Type.Object({ asset_id: AssetId }),
  query: Type.Object({ ...searchQuery, ...pageQuery }, closed),
  body: undefined,
  success: { status: 200, body: page(Moment) },
  errors: ['asset_not_found', 'invalid_cursor'],
} as const satisfies Operation

export const operations = [searchMoments, searchAsset] as const
