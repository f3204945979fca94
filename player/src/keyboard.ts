/** What the keys do, the same wherever in the player one is. */
import type { Deck } from './deck.ts'

export type KeyActions = {
  readonly toggleCaptions: () => void
  readonly showHelp: () => void
}

const STEP_SECONDS = 5
const LEAP_SECONDS = 10
const VOLUME_STEP = 0.05

export function keyActions(deck: Deck, actions: KeyActions): Record<string, () => unknown> {
  const { video } = deck
  const tenths = Array.from({ length: 10 }, (_, tenth) => [
    String(tenth),
    () => deck.seek((deck.duration * tenth) / 10),
  ])
  return {
    ...Object.fromEntries(tenths),
    ' ': () => deck.toggle(),
    k: () => deck.toggle(),
    ArrowLeft: () => deck.skip(-STEP_SECONDS),
    ArrowRight: () => deck.skip(STEP_SECONDS),
    j: () => deck.skip(-LEAP_SECONDS),
    l: () => deck.skip(LEAP_SECONDS),
    ArrowUp: () => deck.changeVolume(VOLUME_STEP),
    ArrowDown: () => deck.changeVolume(-VOLUME_STEP),
    Home: () => deck.seek(0),
    End: () => deck.seek(deck.duration),
    m: () => {
      video.muted = !video.muted
    },
    f: () => deck.toggleFull(),
    i: () => deck.toggleFloating(),
    c: actions.toggleCaptions,
    n: () => deck.skipChapter(1),
    p: () => deck.skipChapter(-1),
    '<': () => deck.changeSpeed(-1),
    '>': () => deck.changeSpeed(1),
    '?': actions.showHelp,
  }
}

/** True if the key was one of ours. */
export function pressKey(actions: Record<string, () => unknown>, event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return false
  const [target] = event.composedPath()
  // A button does by itself what it is there for, and a slider moves.
  const isSpace = event.key === ' ' || event.key === 'Enter'
  if (isSpace && target instanceof HTMLButtonElement) return false
  if (target instanceof HTMLInputElement && /^(Arrow|Home|End|Page)/.test(event.key)) return false
  const act = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key]
  if (!act) return false
  event.preventDefault()
  // Whether a browser grants it, full screen for one, is its affair.
  void Promise.resolve(act()).catch(() => undefined)
  return true
}
