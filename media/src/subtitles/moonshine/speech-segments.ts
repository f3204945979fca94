/**
 * Cuts audio into segments of speech. A segment starts with speech and ends at a pause; without a pause, it ends at the
 * lowest score, which is rarely within a word. Only the current segment is kept in memory.
 */
import { SAMPLES_PER_SECOND } from '../transcription/transcriber.ts'

/** Input size of the speech detection model, 32 ms. */
export const WINDOW_SAMPLES = 512
const WINDOW_SECONDS = WINDOW_SAMPLES / SAMPLES_PER_SECOND

/** `score` is the probability of speech, from 0 to 1. */
export type ScoredWindow = { readonly samples: Float32Array; readonly score: number }

export type SpeechSegment = { readonly startSeconds: number; readonly samples: Float32Array }

const windowsIn = (seconds: number) => Math.round(seconds / WINDOW_SECONDS)

/** Scores at which speech starts and ends. They differ, so that speech near a threshold is not cut repeatedly. */
const STARTS_ABOVE = 0.5
const ENDS_BELOW = 0.35
const PAUSE_WINDOWS = windowsIn(0.25)
/** Maximum length of a segment. The transcription model was trained with short segments. */
const SEGMENT_WINDOWS_MAX = windowsIn(12)
/** Minimum length of a segment that is cut without a pause; it is cut in its second half. */
const CUT_WINDOWS_MIN = windowsIn(6)
/** Windows included before and after speech, for soft sounds at the start and end of words. */
const MARGIN_WINDOWS = windowsIn(0.15)
/** Minimum length of speech. Shorter sounds are clicks or coughs. */
const SPEECH_WINDOWS_MIN = windowsIn(0.1)

export async function* segmentSpeech(
  windows: AsyncIterable<ScoredWindow>,
): AsyncGenerator<SpeechSegment, void, undefined> {
  let windowCount = 0
  let isSpeech = false
  /** Windows of the current segment; during silence, the margin before the next segment. */
  let buffered: ScoredWindow[] = []
  for await (const window of windows) {
    windowCount++
    buffered.push(window)
    if (!isSpeech) {
      buffered = buffered.slice(-MARGIN_WINDOWS - 1)
      isSpeech = window.score > STARTS_ABOVE
      continue
    }
    const pause = pauseAtEnd(buffered)
    if (pause >= PAUSE_WINDOWS) {
      yield* toSegment(buffered.slice(0, buffered.length - pause + MARGIN_WINDOWS), windowCount - buffered.length)
      buffered = buffered.slice(-MARGIN_WINDOWS)
      isSpeech = false
    } else if (buffered.length >= SEGMENT_WINDOWS_MAX) {
      const cut = quietestWindow(buffered)
      yield* toSegment(buffered.slice(0, cut), windowCount - buffered.length)
      buffered = buffered.slice(cut)
    }
  }
  if (isSpeech) yield* toSegment(buffered, windowCount - buffered.length)
}

function pauseAtEnd(windows: readonly ScoredWindow[]): number {
  return windows.length - 1 - windows.findLastIndex(({ score }) => score >= ENDS_BELOW)
}

/** Index of the quietest window; the last one if several are equal. */
function quietestWindow(windows: readonly ScoredWindow[]): number {
  let quietest = CUT_WINDOWS_MIN
  for (let index = CUT_WINDOWS_MIN; index < windows.length; index++) {
    const score = windows[index]?.score ?? 1
    if (score <= (windows[quietest]?.score ?? 1)) quietest = index
  }
  return quietest
}

function* toSegment(windows: readonly ScoredWindow[], firstWindow: number): Generator<SpeechSegment> {
  const spoken = windows.filter(({ score }) => score >= ENDS_BELOW).length
  if (spoken < SPEECH_WINDOWS_MIN) return
  const samples = new Float32Array(windows.length * WINDOW_SAMPLES)
  for (const [index, window] of windows.entries()) samples.set(window.samples, index * WINDOW_SAMPLES)
  yield { startSeconds: firstWindow * WINDOW_SECONDS, samples }
}
