/** Find and replace in the texts of cues. Tags are text as well, because people see them. */
import type { Cues } from './cue-list.ts'

export type Search = { readonly find: string; readonly isCaseSensitive: boolean }

export type Match = { readonly key: string; readonly start: number; readonly end: number }

function patternOf({ find, isCaseSensitive }: Search): RegExp | undefined {
  if (find === '') return undefined
  // A space also finds a line break.
  const source = find.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&').replace(/ +/g, '\\s+')
  return new RegExp(source, isCaseSensitive ? 'g' : 'gi')
}

/** All places where the text is found, in the order of the cues. */
export function matchesOf(cues: Cues, search: Search): readonly Match[] {
  const pattern = patternOf(search)
  if (!pattern) return []
  return cues.flatMap(({ key, text }) =>
    [...text.matchAll(pattern)].map(({ index, 0: found }) => ({ key, start: index, end: index + found.length })),
  )
}

/** Replaces one match, or all of them. */
export function replacedMatches(cues: Cues, matches: readonly Match[], replacement: string): Cues {
  if (matches.length === 0) return cues
  const ofCue = Map.groupBy(matches, ({ key }) => key)
  return cues.map((cue) => {
    let { text } = cue
    for (const { start, end } of ofCue.get(cue.key)?.toReversed() ?? [])
      text = text.slice(0, start) + replacement + text.slice(end)
    return text === cue.text ? cue : { ...cue, text }
  })
}
