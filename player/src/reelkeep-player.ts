/**
 * `<reelkeep-player src="https://video.example/play/…/">`: a video player with chapters, captions and previews.
 *
 * Attributes: `src`, `poster`, `autoplay`, `muted`, `loop`, `start` (a time), `resume="off"`,
 * `deep-link` (uses `#t=` and `#chapter=` of the page). Events: those of a video element, and `ready`,
 * `chapterchange` and `error` with details in `detail`.
 */
import type { Chapter } from './about.ts'
import { endWithPart } from './part-end.ts'
import { Session } from './session.ts'
import { sheet } from './styles/styles.ts'
import { indexAt } from './timeline/chapters.ts'
import { View } from './view/view.ts'
import { readPreferences, savePreferences } from './viewer-storage.ts'

const forwardedEvents = [
  ...['play', 'playing', 'pause', 'waiting', 'seeking', 'seeked', 'timeupdate', 'ended'],
  ...['durationchange', 'volumechange', 'ratechange'],
]

export class ReelkeepPlayer extends HTMLElement {
  static readonly observedAttributes = ['src', 'poster', 'muted', 'loop']

  #view: View | undefined
  #session: Session | undefined
  /** Chapters that the page shows instead of those of the video. */
  #chapters: readonly Chapter[] | undefined
  #disconnected = new AbortController()

  connectedCallback(): void {
    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' })
    root.adoptedStyleSheets = [sheet]
    this.#disconnected = new AbortController()
    this.#view = new View(() => this.#session?.retry(), this.#disconnected.signal)
    root.replaceChildren(this.#view.frame)
    this.#listen(this.#view, this.#disconnected.signal)
    this.#load()
  }

  disconnectedCallback(): void {
    this.#disconnected.abort()
    this.#session?.close()
    this.#session = undefined
  }

  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (!this.#view || !this.isConnected || before === after) return
    const { video } = this.#view.player
    if (name === 'src') {
      this.#chapters = undefined
      this.#load()
    }
    if (name === 'muted') video.muted = after !== null
    if (name === 'loop') video.loop = after !== null
    if (name === 'poster') this.#view.setPoster(after)
  }

  #load(): void {
    this.#session?.close()
    const src = this.getAttribute('src')
    if (!this.#view || !src) return
    this.#view.player.setChapters(this.#chapters)
    const { volume, isMuted } = readPreferences()
    const { video } = this.#view.player
    video.volume = volume ?? 1
    video.muted = this.hasAttribute('muted') || (isMuted ?? false)
    video.loop = this.hasAttribute('loop')
    this.#session = new Session(this, this.#view, src)
    this.#session.start()
  }

  #listen({ player }: View, signal: AbortSignal): void {
    const { video } = player
    endWithPart(player, () => this.hasAttribute('loop'), signal)
    for (const name of forwardedEvents) {
      video.addEventListener(name, () => this.dispatchEvent(new Event(name)), { signal })
    }
    // If the page mutes the video by attribute, this is not saved as a preference of the viewer.
    const saveVolume = () => {
      const isPreference = !this.hasAttribute('muted')
      savePreferences({ volume: video.volume, ...(isPreference && { isMuted: video.muted }) })
    }
    video.addEventListener('volumechange', saveVolume, { signal })
    let shown = -1
    const dispatchChapterChange = () => {
      const index = this.chapters.length > 0 ? indexAt(player.segments, player.time) : -1
      if (index === shown) return
      shown = index
      const detail = { number: index + 1, ...this.chapters[index] }
      if (index >= 0) this.dispatchEvent(new CustomEvent('chapterchange', { detail }))
    }
    video.addEventListener('timeupdate', dispatchChapterChange, { signal })
  }

  play(): Promise<void> {
    return this.#view?.player.play() ?? Promise.resolve()
  }

  pause(): void {
    this.#view?.player.video.pause()
  }

  seek(seconds: number): void {
    this.#view?.player.seek(seconds)
  }

  /**
   * Pauses and shows the frame that is this many frames after the current one, or before it if the number is negative.
   * Exact for every video of this service. No effect before the event `ready`.
   */
  step(frames: number): void {
    this.#view?.player.step(frames)
  }

  /** Seeks to the first frame of a chapter. Chapters are numbered from 1. */
  seekToChapter(number: number): void {
    const chapter = this.chapters[number - 1]
    if (chapter) this.#view?.player.seekToStart(chapter.start)
  }

  /** Reads title, chapters, captions and cover again, after they have changed. Playback continues. */
  async refresh(): Promise<void> {
    await this.#session?.refresh()
  }

  /** Opens the transcript and moves the focus to its search field. No effect for a video without captions. */
  openTranscript(): void {
    void this.#view?.transcript.open()
  }

  /** Lets a page forward its key presses. Returns true if the key is a shortcut. */
  press(event: KeyboardEvent): boolean {
    return this.#view?.press(event) ?? false
  }

  get chapters(): readonly Chapter[] {
    return this.#view?.player.chapters ?? this.#chapters ?? []
  }

  /** Shows these chapters instead of those of the video, until `src` changes; null shows those of the video again. */
  set chapters(chapters: readonly Chapter[] | null) {
    this.#chapters = chapters ?? undefined
    this.#view?.setChapters(this.#chapters)
  }

  get currentTime(): number {
    return this.#view?.player.time ?? 0
  }

  set currentTime(seconds: number) {
    this.seek(seconds)
  }

  get duration(): number {
    return this.#view?.player.duration ?? 0
  }

  get paused(): boolean {
    return this.#view?.player.video.paused ?? true
  }

  get ended(): boolean {
    return this.#view?.player.ended ?? false
  }

  get playbackRate(): number {
    return this.#view?.player.video.playbackRate ?? 1
  }

  set playbackRate(rate: number) {
    if (this.#view) this.#view.player.video.playbackRate = rate
  }

  get volume(): number {
    return this.#view?.player.video.volume ?? 1
  }

  set volume(level: number) {
    if (this.#view) this.#view.player.video.volume = level
  }
}

if (!customElements.get('reelkeep-player')) {
  customElements.define('reelkeep-player', ReelkeepPlayer)
}
