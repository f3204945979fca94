/** What the server answers (`verbose_json`), checked like any input: it may be anybody's. */
import { z } from 'zod'
import { languageOf } from '../language-name.ts'
import type { Phrase } from '../recogniser.ts'
import { withoutRepetitions } from '../repetitions.ts'

const SEGMENTS_MAX = 20_000
const TEXT_LENGTH_MAX = 10_000

const segment = z.object({
  start: z.number().nonnegative(),
  end: z.number().nonnegative(),
  text: z.string().max(TEXT_LENGTH_MAX),
  no_speech_prob: z.number().optional().catch(undefined),
  avg_logprob: z.number().optional().catch(undefined),
})

const verboseAnswer = z.object({
  language: z.string().max(100).optional().catch(undefined),
  segments: z.array(segment).max(SEGMENTS_MAX),
})

type Segment = z.infer<typeof segment>

export type PieceTranscript = { readonly language: string; readonly phrases: readonly Phrase[] }

/** Undefined: it is none. Times are those of the piece, moved by where it begins. */
export function readVerboseAnswer(
  text: string,
  offsetSeconds: number,
): PieceTranscript | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return undefined
  }
  const { data } = verboseAnswer.safeParse(parsed)
  if (!data) return undefined
  const phrases = data.segments
    .filter(isSpoken)
    .map(({ start, end, text }) => ({
      startSeconds: offsetSeconds + start,
      endSeconds: offsetSeconds + end,
      text: withoutRepetitions(text),
    }))
    .filter(({ text, startSeconds, endSeconds }) => text !== '' && endSeconds > startSeconds)
  return { language: languageOf(data.language), phrases: withoutLoops(phrases) }
}

/** Whisper's own rule for what it made up: likely nobody spoke, and it was not sure of the words. */
const isSpoken = ({ no_speech_prob = 0, avg_logprob = 0 }: Segment) =>
  !(no_speech_prob > 0.6 && avg_logprob < -1)

/** As often as the same is said in a row, by somebody and not by a recogniser that has lost its way. */
const SAME_IN_A_ROW_MAX = 3

function withoutLoops(phrases: readonly Phrase[]): Phrase[] {
  let times = 0
  return phrases.filter(({ text }, index) => {
    times = text === phrases[index - 1]?.text ? times + 1 : 1
    return times <= SAME_IN_A_ROW_MAX
  })
}
