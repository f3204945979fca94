/**
 * Finds where the topic of a transcript changes: the words, or the meanings, of the parts before and after differ more
 * than elsewhere, and a pause is longer. After Hearst, "TextTiling" (1997). Pure.
 */
import type { ChapterStart, SpokenPart } from './transcript.rules.ts'

/** More than is said in 30 seconds, so that a long transcript does not occupy the process. */
const TEXT_CHARACTERS_MAX = 600
/** Parts that are compared on each side. */
const WINDOW = 3
/** A chapter has at least this many parts. */
const CHAPTER_PARTS_MIN = 3
/** A pause of this length counts as much as a complete change of words. */
const PAUSE_SECONDS_FULL = 8
const PAUSE_SHARE = 0.4
const WORDS_IN_TITLE = 3
const WORD_LENGTH_MIN = 4

type Options = { readonly countMax: number }

export function topicShifts(parts: readonly SpokenPart[], { countMax }: Options): readonly ChapterStart[] {
  if (parts.length === 0) return []
  const words = readWords(parts)
  const compare = parts.every(({ fingerprints }) => fingerprints !== null) ? meaningsOf(parts) : comparedWords(words)
  const scores = parts.map((_, part) => (part === 0 ? 0 : scoreOf(parts, part, compare)))
  const starts = strongest(scores, countMax - 1)
  const boundaries = [0, ...starts]
  return boundaries.map((part, index) => ({
    part,
    title: titleOf(words, { from: part, to: boundaries[index + 1] ?? parts.length }),
  }))
}

/** From 0, the same, to 1, nothing in common. */
type Compare = (left: readonly number[], right: readonly number[]) => number

function scoreOf(parts: readonly SpokenPart[], part: number, compare: Compare): number {
  const left = range(Math.max(0, part - WINDOW), part)
  const right = range(part, Math.min(parts.length, part + WINDOW))
  const pauseSeconds = ((parts[part]?.startMs ?? 0) - (parts[part - 1]?.endMs ?? 0)) / 1000
  const pause = Math.min(1, Math.max(0, pauseSeconds) / PAUSE_SECONDS_FULL)
  return compare(left, right) + pause * PAUSE_SHARE
}

const range = (from: number, to: number) => Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index)

/** The parts with the highest scores above the usual one, not too close to each other, in order. */
function strongest(scores: readonly number[], countMax: number): readonly number[] {
  const inner = scores.slice(CHAPTER_PARTS_MIN)
  const mean = inner.reduce((sum, score) => sum + score, 0) / Math.max(1, inner.length)
  const spread = Math.sqrt(inner.reduce((sum, score) => sum + (score - mean) ** 2, 0) / Math.max(1, inner.length))
  const candidates = scores
    .map((score, part) => ({ score, part }))
    .filter(({ score, part }) => part >= CHAPTER_PARTS_MIN && score > mean + spread / 2)
    .toSorted((one, other) => other.score - one.score)
  const chosen: number[] = []
  for (const { part } of candidates) {
    const isFree = chosen.every((other) => Math.abs(other - part) >= CHAPTER_PARTS_MIN)
    if (isFree && part <= scores.length - CHAPTER_PARTS_MIN && chosen.length < countMax) chosen.push(part)
  }
  return chosen.toSorted((one, other) => one - other)
}

/** Compares meanings by the share of bits that differ; unrelated ones differ in half of them. */
function meaningsOf(parts: readonly SpokenPart[]): Compare {
  const meanings = parts.map(({ fingerprints }) => usualBits(fingerprints ?? []))
  const difference = (one: Uint8Array = new Uint8Array(), other: Uint8Array = new Uint8Array()) => {
    let count = 0
    for (let bit = 0; bit < one.length; bit++) if (one[bit] !== other[bit]) count++
    return Math.min(1, (2 * count) / Math.max(1, one.length))
  }
  return (left, right) => {
    const values = left.flatMap((one) => right.map((other) => difference(meanings[one], meanings[other])))
    return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
  }
}

/** Of several fingerprints, the bits that at least half of them have. */
function usualBits(fingerprints: readonly string[]): Uint8Array {
  const bits = new Uint8Array(fingerprints[0]?.length ?? 0)
  for (let bit = 0; bit < bits.length; bit++) {
    const set = fingerprints.filter((fingerprint) => fingerprint[bit] === '1').length
    bits[bit] = 2 * set >= fingerprints.length ? 1 : 0
  }
  return bits
}

type Counts = ReadonlyMap<string, number>

type Words = {
  /** How often each word is said in each part, in lower case. */
  readonly counts: readonly Counts[]
  readonly total: Counts
  /** Each word as it is first written. */
  readonly written: ReadonlyMap<string, string>
  /** How rare a word is: words in every part say nothing about the topic. */
  readonly rarity: (word: string) => number
}

const wordForm = /[\p{L}\p{M}]+/gu

function readWords(parts: readonly SpokenPart[]): Words {
  const written = new Map<string, string>()
  const inParts = new Map<string, number>()
  const counts = parts.map(({ text }) => {
    const count = new Map<string, number>()
    for (const [found] of text.slice(0, TEXT_CHARACTERS_MAX).matchAll(wordForm)) {
      if (found.length < WORD_LENGTH_MIN) continue
      const word = found.toLowerCase()
      if (!written.has(word)) written.set(word, found)
      count.set(word, (count.get(word) ?? 0) + 1)
    }
    for (const word of count.keys()) inParts.set(word, (inParts.get(word) ?? 0) + 1)
    return count
  })
  const rarity = (word: string) => Math.log((1 + counts.length) / (inParts.get(word) ?? 1))
  return { counts, total: sumOf(counts), written, rarity }
}

function sumOf(counts: readonly Counts[]): Counts {
  const sum = new Map<string, number>()
  for (const count of counts) for (const [word, times] of count) sum.set(word, (sum.get(word) ?? 0) + times)
  return sum
}

/** Compares words by the cosine of their counts, weighted by rarity. */
function comparedWords({ counts, rarity }: Words): Compare {
  const vectorOf = (indexes: readonly number[]) =>
    new Map(
      [...sumOf(indexes.map((index) => counts[index] ?? new Map()))].map(([word, count]) => [
        word,
        count * rarity(word),
      ]),
    )
  const lengthOf = (vector: Counts) => Math.sqrt([...vector.values()].reduce((sum, value) => sum + value ** 2, 0))
  return (left, right) => {
    const [one, other] = [vectorOf(left), vectorOf(right)]
    let product = 0
    for (const [word, value] of one) product += value * (other.get(word) ?? 0)
    return 1 - product / Math.max(Number.EPSILON, lengthOf(one) * lengthOf(other))
  }
}

type Span = { readonly from: number; readonly to: number }

/** The words that are typical of a chapter. Null if none is repeated. */
function titleOf({ counts, total, written, rarity }: Words, { from, to }: Span): string | null {
  const weight = ([word, count]: readonly [string, number]) => (count / (total.get(word) ?? 1)) * count * rarity(word)
  const typical = [...sumOf(counts.slice(from, to))]
    .filter(([, count]) => count > 1)
    .toSorted((one, other) => weight(other) - weight(one))
    .slice(0, WORDS_IN_TITLE)
    .map(([word]) => written.get(word) ?? word)
  return typical.length === 0 ? null : capitalized(typical.join(', '))
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
