/**
 * Cuts sound into pieces of speech. A piece begins where somebody begins to speak and ends where
 * they pause; if nobody pauses for too long, it ends where speech was least sure, which hardly is
 * within a word. Nothing is kept but the piece that is being heard.
 */
import { SAMPLES_PER_SECOND } from '../recogniser.ts'

/** As the model of speech takes them: 32 ms. */
export const WINDOW_SAMPLES = 512
const WINDOW_SECONDS = WINDOW_SAMPLES / SAMPLES_PER_SECOND

/** How sure it is that somebody speaks in a window, from 0 to 1. */
export type HeardWindow = { readonly samples: Float32Array; readonly score: number }

export type SpeechPiece = { readonly startSeconds: number; readonly samples: Float32Array }

const windowsIn = (seconds: number) => Math.round(seconds / WINDOW_SECONDS)

/** Speech begins above one score and ends below the other, or it would flutter. */
const BEGINS_ABOVE = 0.5
const ENDS_BELOW = 0.35
const PAUSE_WINDOWS = windowsIn(0.25)
/** The recogniser was taught with short pieces and loses its way in long ones. */
const PIECE_WINDOWS_MAX = windowsIn(12)
/** A piece that has to be cut is cut in its second half. */
const CUT_WINDOWS_MIN = windowsIn(6)
/** Heard along before and after: sounds that begin or fade softly belong to the word. */
const MARGIN_WINDOWS = windowsIn(0.15)
/** Less is a click or a cough. */
const SPEECH_WINDOWS_MIN = windowsIn(0.1)

export async function* cutSpeech(
  windows: AsyncIterable<HeardWindow>,
): AsyncGenerator<SpeechPiece, void, undefined> {
  let heard = 0
  let isSpeech = false
  /** While nobody speaks, the margin before the next piece. */
  let held: HeardWindow[] = []
  for await (const window of windows) {
    heard++
    held.push(window)
    if (!isSpeech) {
      held = held.slice(-MARGIN_WINDOWS - 1)
      isSpeech = window.score > BEGINS_ABOVE
      continue
    }
    const pause = pauseAtEnd(held)
    if (pause >= PAUSE_WINDOWS) {
      yield* pieceOf(held.slice(0, held.length - pause + MARGIN_WINDOWS), heard - held.length)
      held = held.slice(-MARGIN_WINDOWS)
      isSpeech = false
    } else if (held.length >= PIECE_WINDOWS_MAX) {
      const cut = quietestWindow(held)
      yield* pieceOf(held.slice(0, cut), heard - held.length)
      held = held.slice(cut)
    }
  }
  if (isSpeech) yield* pieceOf(held, heard - held.length)
}

function pauseAtEnd(windows: readonly HeardWindow[]): number {
  return windows.length - 1 - windows.findLastIndex(({ score }) => score >= ENDS_BELOW)
}

/** The last one of those that are as quiet. */
function quietestWindow(windows: readonly HeardWindow[]): number {
  let quietest = CUT_WINDOWS_MIN
  for (let index = CUT_WINDOWS_MIN; index < windows.length; index++) {
    const score = windows[index]?.score ?? 1
    if (score <= (windows[quietest]?.score ?? 1)) quietest = index
  }
  return quietest
}

function* pieceOf(windows: readonly HeardWindow[], firstWindow: number): Generator<SpeechPiece> {
  const spoken = windows.filter(({ score }) => score >= ENDS_BELOW).length
  if (spoken < SPEECH_WINDOWS_MIN) return
  const samples = new Float32Array(windows.length * WINDOW_SAMPLES)
  for (const [index, window] of windows.entries())
    samples.set(window.samples, index * WINDOW_SAMPLES)
  yield { startSeconds: firstWindow * WINDOW_SECONDS, samples }
}
