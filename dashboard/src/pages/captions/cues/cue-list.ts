/**
 * Changes of a list of cues. The lists are ordered by start. Each function returns the same list, with the same cues,
 * as far as nothing has changed.
 */
export type CueValues = {
  /** Whole milliseconds. */
  readonly startMs: number
  readonly endMs: number
  /** Who speaks; empty if it is not known. */
  readonly speaker: string
  /** Text with the tags of WebVTT, such as `<i>`. Lines are separated by line breaks. */
  readonly text: string
  /** Where the cue is shown, as in the file; empty for the default. */
  readonly settings: string
}
/** `key` identifies the cue in this editor, also after its times have changed. */
export type Cue = CueValues & { readonly key: string }
export type Cues = readonly Cue[]

/** As in the API. */
const CUES_MAX = 20_000
/** The shortest cue that an edit makes. */
const DURATION_MS_MIN = 100
/** The length of a new cue, if there is room. */
const NEW_DURATION_MS = 2000

export const cueFields = ['startMs', 'endMs', 'speaker', 'text', 'settings'] as const

export const isSameCue = (one: CueValues, other: CueValues) =>
  one === other || cueFields.every((field) => one[field] === other[field])

export const areSameCues = (some: readonly CueValues[], others: readonly CueValues[]) =>
  some === others ||
  (some.length === others.length &&
    some.every((cue, index) => {
      const other = others[index]
      return other !== undefined && isSameCue(cue, other)
    }))

const byTime = (one: CueValues, other: CueValues) => one.startMs - other.startMs || one.endMs - other.endMs

export const sortedCues = <T extends CueValues>(cues: readonly T[]): readonly T[] => cues.toSorted(byTime)

/** Replaces one cue by others. */
function replaced(cues: Cues, key: string, change: (cue: Cue, index: number) => readonly Cue[]): Cues {
  const index = cues.findIndex((cue) => cue.key === key)
  const cue = cues[index]
  if (!cue) return cues
  const result = change(cue, index)
  if (result.length === 1 && result[0] === cue) return cues
  const list = cues.toSpliced(index, 1, ...result)
  return isSorted(list, index - 1, index + result.length) ? list : sortedCues(list)
}

function isSorted(cues: Cues, from: number, to: number): boolean {
  for (let index = Math.max(1, from + 1); index <= Math.min(to, cues.length - 1); index++) {
    const [one, other] = [cues[index - 1], cues[index]]
    if (one && other && byTime(one, other) > 0) return false
  }
  return true
}

export const withText = (cues: Cues, key: string, text: string): Cues =>
  replaced(cues, key, (cue) => [cue.text === text ? cue : { ...cue, text }])

/** A speaker has one line without the brackets of tags. */
const cleanSpeaker = (text: string) => text.replace(/[<>\r\n]/g, '')

export const withSpeaker = (cues: Cues, key: string, speaker: string): Cues =>
  replaced(cues, key, (cue) => [cue.speaker === speaker ? cue : { ...cue, speaker: cleanSpeaker(speaker) }])

type Times = { readonly startMs?: number; readonly endMs?: number }

/** Sets the start, the end or both. A cue has a minimum duration; the time that was not set gives way. */
export const withTimes = (cues: Cues, key: string, times: Times): Cues =>
  replaced(cues, key, (cue) => {
    const moved = timesOf(cue, times)
    return [moved.startMs === cue.startMs && moved.endMs === cue.endMs ? cue : { ...cue, ...moved }]
  })

function timesOf(cue: Cue, { startMs, endMs }: Times) {
  if (startMs === undefined) {
    const end = Math.max(DURATION_MS_MIN, Math.round(endMs ?? cue.endMs))
    return { startMs: Math.min(cue.startMs, end - DURATION_MS_MIN), endMs: end }
  }
  const start = Math.max(0, Math.round(startMs))
  return { startMs: start, endMs: Math.max(Math.round(endMs ?? cue.endMs), start + DURATION_MS_MIN) }
}

/** Moves a cue, which keeps its duration. */
export const movedCue = (cues: Cues, key: string, byMs: number): Cues =>
  replaced(cues, key, (cue) => {
    const by = Math.max(-cue.startMs, Math.round(byMs))
    return [by === 0 ? cue : { ...cue, startMs: cue.startMs + by, endMs: cue.endMs + by }]
  })

export const withoutCue = (cues: Cues, key: string): Cues => cues.filter((cue) => cue.key !== key)

type Split = { readonly key: string; readonly newKey: string; readonly atMs?: number; readonly atCharacter?: number }

/**
 * Splits a cue in two. Without a time, it is split at the share of the text before the character; without a character,
 * at the word that is closest to the share of the time.
 */
export const splitCue = (cues: Cues, { key, newKey, atMs, atCharacter }: Split): Cues =>
  replaced(cues, key, (cue) => {
    const duration = cue.endMs - cue.startMs
    if (duration < 2 * DURATION_MS_MIN) return [cue]
    const isTimed = atMs !== undefined && atMs > cue.startMs && atMs < cue.endMs
    const length = Math.max(1, cue.text.length)
    const wanted = isTimed ? atMs : cue.startMs + (duration * (atCharacter ?? length / 2)) / length
    const middle = Math.round(Math.min(cue.endMs - DURATION_MS_MIN, Math.max(cue.startMs + DURATION_MS_MIN, wanted)))
    const character = atCharacter ?? wordBreak(cue.text, (length * (middle - cue.startMs)) / duration)
    return [
      { ...cue, endMs: middle, text: cue.text.slice(0, character).trimEnd() },
      { ...cue, key: newKey, startMs: middle, text: cue.text.slice(character).trimStart() },
    ]
  })

/** The space or line break that is closest to a position. */
function wordBreak(text: string, position: number): number {
  let best = text.length
  for (const { index } of text.matchAll(/\s+/g)) {
    if (Math.abs(index - position) < Math.abs(best - position)) best = index
  }
  return best
}

/** Joins a cue with the next one. Their texts become lines; another speaker is written before the text. */
export function mergedWithNext(cues: Cues, key: string): Cues {
  const index = cues.findIndex((cue) => cue.key === key)
  const [cue, next] = [cues[index], cues[index + 1]]
  if (!cue || !next) return cues
  const isSameSpeaker = next.speaker === '' || next.speaker === cue.speaker
  const added = isSameSpeaker ? next.text : `${next.speaker}: ${next.text}`
  const text = [cue.text, added].filter((part) => part !== '').join('\n')
  const endMs = Math.max(cue.endMs, next.endMs)
  return cues.toSpliced(index, 2, { ...cue, endMs, text })
}

/** A new cue at a time. It ends where the next one starts, if there is room. */
export function insertedCue(cues: Cues, key: string, startMs: number): Cues {
  if (cues.length >= CUES_MAX) return cues
  const next = cues.find((cue) => cue.startMs > startMs)
  const room = (next?.startMs ?? Number.POSITIVE_INFINITY) - startMs
  const duration = room < DURATION_MS_MIN ? NEW_DURATION_MS : Math.min(NEW_DURATION_MS, room)
  const cue = { key, startMs, endMs: startMs + duration, speaker: '', text: '', settings: '' }
  return sortedCues([...cues, cue])
}

/** Moves all cues, or those from one on. None starts before the video. */
export function shiftedCues(cues: Cues, byMs: number, fromKey?: string): Cues {
  const from =
    fromKey === undefined
      ? 0
      : Math.max(
          0,
          cues.findIndex(({ key }) => key === fromKey),
        )
  const by = Math.max(Math.round(byMs), -(cues[from]?.startMs ?? 0))
  if (by === 0) return cues
  return sortedCues(
    cues.map((cue, index) => (index < from ? cue : { ...cue, startMs: cue.startMs + by, endMs: cue.endMs + by })),
  )
}

/** The index of the last cue that starts at or before a time; -1 before the first one. */
export function indexAt(cues: readonly CueValues[], ms: number): number {
  let [low, high] = [-1, cues.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((cues[middle]?.startMs ?? 0) <= ms) low = middle
    else high = middle - 1
  }
  return low
}

/** The cue that is shown at a time. Of cues that overlap, the last one that has started. */
export function cueAt<T extends CueValues>(cues: readonly T[], ms: number): T | undefined {
  const cue = cues[indexAt(cues, ms)]
  return cue && ms < cue.endMs ? cue : undefined
}
