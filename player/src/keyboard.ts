/** Keyboard shortcuts, available everywhere in the player. */
import type { PlayerState } from './player-state.ts'

export type KeyActions = {
  readonly toggleCaptions: () => void
  readonly openTranscript: () => void
  readonly showHelp: () => void
}

const STEP_SECONDS = 5
const JUMP_SECONDS = 10
const VOLUME_STEP = 0.05

export function keyActions(player: PlayerState, actions: KeyActions): Record<string, () => unknown> {
  const { video } = player
  const tenths = Array.from({ length: 10 }, (_, tenth) => [
    String(tenth),
    () => player.seek((player.duration * tenth) / 10),
  ])
  return {
    ...Object.fromEntries(tenths),
    ' ': () => player.toggle(),
    k: () => player.toggle(),
    ArrowLeft: () => player.skip(-STEP_SECONDS),
    ArrowRight: () => player.skip(STEP_SECONDS),
    j: () => player.skip(-JUMP_SECONDS),
    l: () => player.skip(JUMP_SECONDS),
    ArrowUp: () => player.changeVolume(VOLUME_STEP),
    ArrowDown: () => player.changeVolume(-VOLUME_STEP),
    Home: () => player.seek(0),
    End: () => player.seek(player.duration),
    m: () => {
      video.muted = !video.muted
    },
    f: () => player.toggleFull(),
    i: () => player.toggleFloating(),
    c: actions.toggleCaptions,
    n: () => player.skipChapter(1),
    p: () => player.skipChapter(-1),
    '<': () => player.changeSpeed(-1),
    '>': () => player.changeSpeed(1),
    '/': actions.openTranscript,
    '?': actions.showHelp,
  }
}

/** Returns true if the key is a shortcut. */
export function pressKey(actions: Record<string, () => unknown>, event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return false
  const [target] = event.composedPath()
  // Buttons handle Space and Enter themselves; sliders handle the arrow and paging keys.
  const isSpace = event.key === ' ' || event.key === 'Enter'
  if (isSpace && target instanceof HTMLButtonElement) return false
  if (target instanceof HTMLInputElement && /^(Arrow|Home|End|Page)/.test(event.key)) return false
  const act = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key]
  if (!act) return false
  event.preventDefault()
  // The browser may refuse an action, for example to go full screen.
  void Promise.resolve(act()).catch(() => undefined)
  return true
}
