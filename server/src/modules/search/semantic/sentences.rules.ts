import type { CueInText } from '@reelkeep/media'

export type Sentence = {
  /** Position in the moment. */
  readonly sentence: number
  readonly said: string
  readonly startMs: number
}

/** A text without punctuation, as many transcripts are, is divided after this number of characters. */
const LENGTH_MIN_WITHOUT_END = 120
/** A longer one is cut, because some servers refuse more than 512 tokens. */
const LENGTH_MAX = 1000
const endsSentence = /[.!?…。！？]["'”’»)]*$/

type MomentText = { readonly text: string; readonly startMs: number; readonly cues: readonly CueInText[] | null }

/** Divides the text of a moment at captions, where a sentence ends. A title or chapter is one sentence. */
export function sentencesOf({ text, startMs, cues }: MomentText): Sentence[] {
  const sentences: Sentence[] = []
  let first: CueInText = cues?.[0] ?? { offset: 0, startMs }
  const add = (end: number) => {
    const said = text.slice(first.offset, end).trim().slice(0, LENGTH_MAX).toWellFormed()
    if (said !== '') sentences.push({ sentence: sentences.length, said, startMs: first.startMs })
  }
  for (const cue of cues?.slice(1) ?? []) {
    const said = text.slice(first.offset, cue.offset).trim()
    if (!endsSentence.test(said) && said.length < LENGTH_MIN_WITHOUT_END) continue
    add(cue.offset)
    first = cue
  }
  add(text.length)
  return sentences
}
