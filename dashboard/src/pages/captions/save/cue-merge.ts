/** Three-way merge of captions: what two editors made of the same version. */
import { aloneBetween, type FieldConflict, mergeLists } from '../../studio/save/three-way.ts'
import { type Cue, type Cues, type CueValues, cueFields, isSameCue, sortedCues } from '../cues/cue-list.ts'

export type CueConflict = FieldConflict<Cue>

export type CueMerge = {
  /** The saved cues, with the keys of this editor: the base of the next merge. */
  readonly base: Cues
  /** Everything that is not in a conflict. */
  readonly cues: Cues
  readonly conflicts: readonly CueConflict[]
  /** Number of cues that the other editor has added, changed or deleted. */
  readonly theirChanges: number
}

type Versions = {
  /** The saved cues from which this editor started. */
  readonly base: Cues
  readonly mine: Cues
  /** The saved cues now. They have no keys, because a file has none. */
  readonly theirs: readonly CueValues[]
  readonly newKey: () => string
}

export function mergeCues({ base, mine, theirs, newKey }: Versions): CueMerge {
  const newBase = withKeys({ base, mine, theirs, newKey })
  const { items, ...rest } = mergeLists({ base, mine, theirs: newBase }, cueFields)
  return { base: newBase, cues: sortedCues(items), ...rest }
}

const identityOf = (cue: CueValues) => JSON.stringify(cueFields.map((field) => cue[field]))
const timesOf = ({ startMs, endMs }: CueValues) => `${startMs} ${endMs}`
const startOf = ({ startMs }: CueValues) => `${startMs}`
const textOf = ({ text }: CueValues) => text

/**
 * Gives the saved cues the keys that they have in this editor. A cue is found by what has not changed, or because it is
 * alone between two others in both versions. A wrong match does no harm: it can only turn a deletion and an addition
 * into a change of the same cue.
 */
function withKeys({ base, mine, theirs, newKey }: Versions): Cues {
  const keys = new Map<CueValues, string>()
  const open = new Set<Cue>(base)
  const match = (saved: CueValues, cue: Cue | undefined) => {
    if (!cue || keys.has(saved) || !open.has(cue)) return
    keys.set(saved, cue.key)
    open.delete(cue)
  }
  for (const nameOf of [identityOf, timesOf, startOf, textOf]) {
    const known = Map.groupBy(open, nameOf)
    // Of cues that look the same, the first is matched with the first.
    for (const saved of theirs) if (!keys.has(saved)) match(saved, known.get(nameOf(saved))?.shift())
  }
  for (const [saved, cue] of aloneBetween(base, theirs, keys)) match(saved, cue)
  const used = new Set(base.map(({ key }) => key))
  // Both editors may have added the same cue.
  const twins = Map.groupBy(
    mine.filter(({ key }) => !used.has(key)),
    identityOf,
  )
  return theirs.map((saved) => ({
    ...saved,
    key: keys.get(saved) ?? twins.get(identityOf(saved))?.shift()?.key ?? newKey(),
  }))
}

export type CueChoice = 'mine' | 'theirs'

/** Applies the decisions of the user. */
export function resolveCues(merge: CueMerge, choices: ReadonlyMap<string, CueChoice>): CueMerge {
  const chosen = merge.conflicts.flatMap(({ key, mine, theirs }) => {
    const choice = choices.get(key)
    const kept = choice === 'theirs' ? theirs : mine
    return choice !== undefined && kept ? [kept] : []
  })
  const conflicts = merge.conflicts.filter(({ key }) => !choices.has(key))
  return { ...merge, cues: sortedCues([...merge.cues, ...chosen]), conflicts }
}

/** Saved cues with the objects of this editor where they are the same, so that their rows are not rendered again. */
export function withKnownObjects(cues: Cues, known: Cues): Cues {
  const byKey = new Map(known.map((cue) => [cue.key, cue]))
  return cues.map((cue) => {
    const same = byKey.get(cue.key)
    return same && isSameCue(same, cue) ? same : cue
  })
}
