/** The element `<reelkeep-player>`, whose script this server offers to every page. It is not part of the dashboard. */

export type PlayerElement = HTMLElement & {
  currentTime: number
  readonly duration: number
  readonly paused: boolean
  play(): Promise<void>
  pause(): void
  seek(seconds: number): void
  /** Shows these chapters instead of those of the video. */
  set chapters(chapters: readonly { readonly title: string; readonly start: number }[] | null)
  /** Opens the transcript with the focus in its search field, if the video has captions. */
  openTranscript(): void
  /** Reads title, chapters and captions again. */
  refresh(): Promise<void>
}

const SCRIPT = '/embed/-/reelkeep-player.js'

/** Loads the script once. The element shows itself when it is there. */
export const loadPlayer = (): Promise<unknown> => import(/* @vite-ignore */ SCRIPT)
