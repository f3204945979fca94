import type { search as contract } from '@reelkeep/contract'

export type MomentKind = (typeof contract.momentKinds)[number]
export type SearchedText = (typeof contract.searchedTexts)[number]

const everything: readonly SearchedText[] = ['titles', 'chapters', 'transcript']

/** The texts that `in` names; all of them if it is undefined. */
export const searchedTexts = (text: string | undefined): readonly SearchedText[] =>
  text === undefined ? everything : everything.filter((name) => text.split(',').includes(name))

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Results are ordered by score; the id of the asset makes the key unique. */
export const isResultKey = ([score = '', asset = '', ...rest]: readonly string[]): boolean =>
  /^\d{1,9}(\.\d{1,6})?$/.test(score) && uuidForm.test(asset) && rest.length === 0

/** The moments of an asset are ordered by start; source and number make the key unique. */
export const isMomentKey = ([start = '', source = '', number = '', ...rest]: readonly string[]): boolean =>
  /^\d{1,9}$/.test(start) && /^[a-z0-9-]{1,36}$/.test(source) && /^\d{1,9}$/.test(number) && rest.length === 0

/** Words, meaning, or both. */
export type SearchMode = 'lexical' | 'semantic' | 'hybrid'

/** How to search for a text, which may consist of punctuation only; undefined if there is nothing to search for. */
export function modeFor(
  given: SearchMode | undefined,
  { hasWords, hasMeaning }: { readonly hasWords: boolean; readonly hasMeaning: boolean },
): SearchMode | undefined {
  const isLexical = hasWords && given !== 'semantic'
  const isSemantic = hasMeaning && given !== 'lexical'
  if (isLexical && isSemantic) return 'hybrid'
  if (isLexical) return 'lexical'
  return isSemantic ? 'semantic' : undefined
}
