/** The searches that `pnpm bench search` measures in an organization of a million moments. */
import type { FolderUuid } from '@reelkeep/server/kernel/ids.ts'
import type { Limits } from '@reelkeep/server/kernel/limits.ts'
import { LARGE_FOLDER, TREE_TOP } from '../assets/seed-assets.ts'
import { commonWord, otherCommonWord, rareWord } from './seed-search.ts'

type SearchedText = 'titles' | 'chapters' | 'transcript'

export type MeasuredSearch = {
  readonly name: string
  readonly text: string
  readonly texts?: readonly SearchedText[]
  readonly folder?: string
  readonly tags?: readonly string[]
  readonly limits?: Limits
  readonly mode?: 'semantic' | 'hybrid'
}

const folder = LARGE_FOLDER as FolderUuid
/** A folder at the bottom of the tree, with one of 550 assets. */
const SMALL_FOLDER = 'treeaaaaa5a'

const common: readonly MeasuredSearch[] = [
  { name: 'common word (12 % of the moments)', text: commonWord },
  { name: 'two common words', text: `${commonWord} ${otherCommonWord}` },
  { name: 'phrase of four words', text: `the ${otherCommonWord} of this ${commonWord}` },
  { name: 'prefix of a sixteenth of all words', text: 'pr' },
  { name: 'prefix', text: 'prali' },
  { name: 'one character', text: 's' },
  { name: 'word that is not indexed, as prefix', text: 'the' },
  { name: 'rare word (0.01 %)', text: rareWord },
  { name: 'common and rare word', text: `${commonWord} ${rareWord}` },
  { name: 'no match', text: 'nowhere' },
]

export const lexicalSearches: readonly MeasuredSearch[] = [
  ...common,
  { name: 'common word, transcripts only', text: commonWord, texts: ['transcript'] },
  { name: 'common word, chapters only', text: commonWord, texts: ['chapters'] },
  { name: 'common word, folder (30 % of the assets)', text: commonWord, folder },
  { name: 'common word, small folder (0.2 %)', text: commonWord, folder: SMALL_FOLDER },
  { name: 'common word, tree of folders (20 %)', text: commonWord, folder: TREE_TOP },
  { name: 'common word, tag (1 %)', text: commonWord, tags: ['hundredth'] },
  { name: 'common word, limited to a folder (30 %)', text: commonWord, limits: { folderUuid: folder } },
  {
    name: 'common word, limited to a small folder (0.2 %)',
    text: commonWord,
    limits: { folderUuid: SMALL_FOLDER as FolderUuid },
  },
  { name: 'prefix, limited to a small folder (0.2 %)', text: 'pr', limits: { folderUuid: SMALL_FOLDER as FolderUuid } },
  { name: 'rare word, limited to a folder (30 %)', text: rareWord, limits: { folderUuid: folder } },
]

/** In an organization of 50,000 moments. */
export const semanticSearches: readonly MeasuredSearch[] = [
  { name: 'by meaning', text: commonWord, mode: 'semantic' },
  {
    name: 'by meaning, limited to a folder (30 %)',
    text: commonWord,
    mode: 'semantic',
    limits: { folderUuid: folder },
  },
  { name: 'by meaning and words', text: commonWord, mode: 'hybrid' },
  { name: 'by meaning and words, folder (30 %)', text: commonWord, mode: 'hybrid', folder },
]

/** In a small organization. */
export const smallSearches: readonly MeasuredSearch[] = common
