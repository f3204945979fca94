/** Loads the transcript when it is opened for the first time. */
import type { PlayerState } from '../player-state.ts'
import type { Transcript } from '../transcript/transcript.ts'
import type { Captions } from './captions.ts'

export type TranscriptOpener = ReturnType<typeof openTranscript>

type Parts = {
  readonly captions: Captions
  readonly showMarks: (seconds: readonly number[]) => void
  /** Called after the panel was opened or closed. */
  readonly onChange: () => void
  /** Moves the focus to the button that opens the panel. */
  readonly returnFocus: () => void
}

export function openTranscript(player: PlayerState, { captions, showMarks, onChange, returnFocus }: Parts) {
  let panel: Transcript | undefined
  let loading: Promise<void> | undefined

  async function load(): Promise<void> {
    const { Transcript, transcriptSheet } = await import('../transcript/transcript.ts')
    panel = new Transcript(player, { captions, showMarks, returnFocus, onChange })
    const root = player.frame.getRootNode()
    if (root instanceof ShadowRoot) root.adoptedStyleSheets.push(transcriptSheet)
    player.frame.append(panel.node)
  }

  async function open(): Promise<void> {
    if (captions.tracks().length === 0) return
    loading ??= load()
    try {
      await loading
    } catch {
      // The next attempt loads it again.
      loading = undefined
    }
    panel?.open()
  }

  return {
    get isOpen(): boolean {
      return panel?.isOpen ?? false
    },
    open,
    toggle(): void {
      if (panel?.isOpen) panel.close()
      else void open()
    },
    update: () => panel?.update(),
    tick: () => panel?.tick(),
  }
}
