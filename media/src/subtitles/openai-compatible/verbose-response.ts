/** Parses and validates the server's response (`verbose_json`). */
import { z } from 'zod'
import { languageOf } from '../language-name.ts'
import { withoutRepetitions } from '../transcription/repetitions.ts'
import type { Phrase } from '../transcription/transcriber.ts'

const SEGMENTS_MAX = 20_000
const TEXT_LENGTH_MAX = 10_000

const segment = z.object({
  start: z.number().nonnegative(),
  end: z.number().nonnegative(),
  text: z.string().max(TEXT_LENGTH_MAX),
  no_speech_prob: z.number().optional().catch(undefined),
  avg_logprob: z.number().optional().catch(undefined),
})

const verboseResponse = z.object({
  language: z.string().max(100).optional().catch(undefined),
  segments: z.array(segment).max(SEGMENTS_MAX),
})

type Segment = z.infer<typeof segment>

export type SegmentTranscript = { readonly language: string; readonly phrases: readonly Phrase[] }

/** Returns a transcript; undefined for an invalid response. Times are shifted by the start of the segment. */
export function parseVerboseResponse(text: string, offsetSeconds: number): SegmentTranscript | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return undefined
  }
  const { data } = verboseResponse.safeParse(parsed)
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

/** Whisper's own rule for hallucinated text: probably no speech, and a low confidence. */
const isSpoken = ({ no_speech_prob = 0, avg_logprob = 0 }: Segment) => !(no_speech_prob > 0.6 && avg_logprob < -1)

/** Maximum number of identical phrases in a row that are kept; more mean that the model is looping. */
const SAME_IN_A_ROW_MAX = 3

function withoutLoops(phrases: readonly Phrase[]): Phrase[] {
  let times = 0
  return phrases.filter(({ text }, index) => {
    times = text === phrases[index - 1]?.text ? times + 1 : 1
    return times <= SAME_IN_A_ROW_MAX
  })
}
