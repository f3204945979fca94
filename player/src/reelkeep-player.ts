/**
 * `<reelkeep-player src="https://video.example/play/…/">`: a video with all that belongs to it.
 *
 * Attributes: `src`, `poster`, `autoplay`, `muted`, `loop`, `start` (a time), `resume="off"`,
 * `deep-link` (follows `#t=` and `#chapter=` of the page). Events: those of a video, and `ready`,
 * `chapterchange` and `error`, whose `detail` tells more.
 */
import type { Chapter } from './about.ts'
import { indexAt } from './chapters.ts'
import { remember, remembered } from './memory.ts'
import { Screening } from './screening.ts'
import { sheet } from './styles/styles.ts'
import { View } from './view/view.ts'

const passedOn = [
  ...['play', 'playing', 'pause', 'waiting', 'seeking', 'seeked', 'timeupdate', 'ended'],
  ...['durationchange', 'volumechange', 'ratechange'],
]

export class ReelkeepPlayer extends HTMLElement {
  static readonly observedAttributes = ['src', 'poster', 'muted', 'loop']

  #view: View | undefined
  #screening: Screening | undefined
  #leaving = new AbortController()

  connectedCallback(): void {
    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' })
    root.adoptedStyleSheets = [sheet]
    this.#leaving = new AbortController()
    this.#view = new View(() => this.#screening?.retry(), this.#leaving.signal)
    root.replaceChildren(this.#view.frame)
    this.#listen(this.#view, this.#leaving.signal)
    this.#load()
  }

  disconnectedCallback(): void {
    this.#leaving.abort()
    this.#screening?.close()
    this.#screening = undefined
  }

  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (!this.#view || !this.isConnected || before === after) return
    const { video } = this.#view.deck
    if (name === 'src') this.#load()
    if (name === 'muted') video.muted = after !== null
    if (name === 'loop') video.loop = after !== null
    if (name === 'poster') this.#view.setPoster(after)
  }

  #load(): void {
    this.#screening?.close()
    const src = this.getAttribute('src')
    if (!this.#view || !src) return
    const { volume, isMuted } = remembered()
    const { video } = this.#view.deck
    video.volume = volume ?? 1
    video.muted = this.hasAttribute('muted') || (isMuted ?? false)
    video.loop = this.hasAttribute('loop')
    this.#screening = new Screening(this, this.#view, src)
    this.#screening.begin()
  }

  #listen({ deck }: View, signal: AbortSignal): void {
    const { video } = deck
    for (const name of passedOn) {
      video.addEventListener(name, () => this.dispatchEvent(new Event(name)), { signal })
    }
    // Set by an attribute, it is nobody's liking.
    const keep = () => {
      const isOwn = !this.hasAttribute('muted')
      remember({ volume: video.volume, ...(isOwn && { isMuted: video.muted }) })
    }
    video.addEventListener('volumechange', keep, { signal })
    let shown = -1
    const tell = () => {
      const index = this.chapters.length > 0 ? indexAt(deck.segments, video.currentTime) : -1
      if (index === shown) return
      shown = index
      const detail = { number: index + 1, ...this.chapters[index] }
      if (index >= 0) this.dispatchEvent(new CustomEvent('chapterchange', { detail }))
    }
    video.addEventListener('timeupdate', tell, { signal })
  }

  play(): Promise<void> {
    return this.#view?.deck.play() ?? Promise.resolve()
  }

  pause(): void {
    this.#view?.deck.video.pause()
  }

  seek(seconds: number): void {
    this.#view?.deck.seek(seconds)
  }

  /** They count from 1. */
  seekToChapter(number: number): void {
    const chapter = this.chapters[number - 1]
    if (chapter) this.seek(chapter.start)
  }

  /** For a page that wants its keys to be the player's. True if it was one of them. */
  press(event: KeyboardEvent): boolean {
    return this.#view?.press(event) ?? false
  }

  get chapters(): readonly Chapter[] {
    return this.#view?.deck.about?.chapters ?? []
  }

  get currentTime(): number {
    return this.#view?.deck.video.currentTime ?? 0
  }

  set currentTime(seconds: number) {
    this.seek(seconds)
  }

  get duration(): number {
    return this.#view?.deck.duration ?? 0
  }

  get paused(): boolean {
    return this.#view?.deck.video.paused ?? true
  }

  get ended(): boolean {
    return this.#view?.deck.video.ended ?? false
  }

  get playbackRate(): number {
    return this.#view?.deck.video.playbackRate ?? 1
  }

  set playbackRate(rate: number) {
    if (this.#view) this.#view.deck.video.playbackRate = rate
  }

  get volume(): number {
    return this.#view?.deck.video.volume ?? 1
  }

  set volume(level: number) {
    if (this.#view) this.#view.deck.video.volume = level
  }
}

if (!customElements.get('reelkeep-player')) {
  customElements.define('reelkeep-player', ReelkeepPlayer)
}
