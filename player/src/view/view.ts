/** The player as one sees it: everything in the shadow root, and how it follows the video. */
import { Deck } from '../deck.ts'
import type { FaultCode } from '../faults.ts'
import { keyActions, pressKey } from '../keyboard.ts'
import { words } from '../words.ts'
import { Bar, playing, set } from './bar.ts'
import { type Captions, openCaptions } from './captions.ts'
import { element, iconButton } from './dom.ts'
import { Menus } from './menu.ts'
import { watchPresence } from './presence.ts'
import { type FaultScreen, openFaultScreen, openHelp, openNotice } from './screens.ts'
import { Timeline } from './timeline.ts'
import { openWatermark, type Watermark } from './watermark.ts'

export class View {
  readonly deck: Deck
  readonly captions: Captions
  readonly timeline: Timeline
  readonly notice = openNotice()
  readonly watermark: Watermark
  readonly frame = element('div', { class: 'frame', role: 'region', tabindex: -1 })
  readonly #poster = element('img', { class: 'poster', alt: '', hidden: true })
  readonly #title = element('div', { class: 'title' })
  readonly #big = iconButton('play', words.play, 'big')
  readonly #fault: FaultScreen
  readonly #help = openHelp(() => this.#presence.wake())
  readonly #menus = new Menus(() => this.#presence.wake())
  readonly #bar: Bar
  readonly #presence: { readonly wake: () => void }
  readonly #keys: ReturnType<typeof keyActions>

  constructor(onRetry: () => void, signal: AbortSignal) {
    const video = element('video', { playsinline: true, crossorigin: 'anonymous', tabindex: -1 })
    this.deck = new Deck(video, this.frame)
    this.captions = openCaptions(video, () => this.update())
    this.timeline = new Timeline(this.deck)
    this.watermark = openWatermark(signal)
    this.#fault = openFaultScreen(onRetry)
    const { captions, timeline } = this
    const showHelp = this.#help.show
    this.#bar = new Bar(this.deck, {
      ...{ menus: this.#menus, captions, timeline: timeline.node, showHelp },
    })
    const surface = element('div', { class: 'surface' })
    const isBusy = () => this.#menus.isOpen || this.#help.isOpen()
    this.#presence = watchPresence(this.deck, surface, isBusy)
    this.#keys = keyActions(this.deck, { toggleCaptions: () => captions.toggle(), showHelp })
    this.#lay(video, surface)
    this.#listen()
    follow(this, signal)
    this.update()
  }

  /** True if the key was one of the player's. */
  press(event: KeyboardEvent): boolean {
    return !this.#help.isOpen() && pressKey(this.#keys, event)
  }

  update(): void {
    const { video } = this.deck
    this.frame.classList.toggle('paused', video.paused)
    set(this.#big, ...playing(video))
    this.#bar.update()
    this.timeline.draw()
    this.tick()
  }

  tick(): void {
    this.#bar.tick()
    this.timeline.tell()
  }

  setTitle(text: string): void {
    this.#title.textContent = text
    this.frame.setAttribute('aria-label', words.player(text))
  }

  setPoster(url: string | null): void {
    this.#poster.hidden = url === null
    if (url !== null && this.#poster.src !== url) this.#poster.src = url
  }

  /** With a fault, what it is. */
  setState(state: 'loading' | 'ready' | 'fault', code?: FaultCode): void {
    this.frame.dataset['state'] = state
    if (code) {
      this.#menus.close()
      this.#fault.show(code)
    } else this.#fault.hide()
  }

  /** From the lowest to the highest. */
  #lay(video: HTMLVideoElement, surface: HTMLElement): void {
    const spinner = element('div', { class: 'spinner', role: 'status' })
    spinner.append(element('span', { class: 'spoken' }, words.loading))
    const shade = element('div', { class: 'shade' })
    this.frame.append(video, this.#poster, surface, shade, this.#title)
    this.frame.append(this.captions.node, this.watermark.node, spinner, this.#big)
    this.frame.append(this.notice.node, this.#bar.node, this.#menus.panel)
    this.frame.append(this.#fault.node, this.#help.node)
  }

  #listen(): void {
    // Whoever hears the page or goes through it by keys has the same button in the bar.
    this.#big.setAttribute('aria-hidden', 'true')
    this.#big.tabIndex = -1
    this.#big.addEventListener('click', () => this.deck.toggle())
    this.frame.addEventListener('keydown', (event) => this.press(event))
    // Anywhere else, a press closes what is open.
    this.frame.addEventListener('pointerdown', (event) => {
      const path = event.composedPath()
      if (!path.includes(this.#menus.panel) && !path.some(isMenuButton)) this.#menus.close()
    })
  }
}

const isMenuButton = (target: EventTarget) =>
  target instanceof HTMLElement &&
  (target.hasAttribute('aria-haspopup') || target.matches('.chapter'))

/** The bar glides while it plays, and what is read out follows by the second. */
function follow(view: View, signal: AbortSignal): void {
  const { frame, timeline, deck } = view
  const { video } = deck
  const on = (events: readonly string[], act: () => void) => {
    for (const event of events) video.addEventListener(event, act, { signal })
  }
  on(changes, () => view.update())
  on(['timeupdate', 'seeking'], () => view.tick())
  on(['progress', 'timeupdate', 'seeking'], () => timeline.draw())
  on(['waiting', 'seeking'], () => frame.classList.add('waiting'))
  on(['playing', 'canplay', 'seeked', 'emptied', 'error'], () => frame.classList.remove('waiting'))
  // From the first picture on, the poster has done its work.
  on(['playing'], () => frame.classList.add('begun'))
  document.addEventListener('fullscreenchange', () => view.update(), { signal })
  const glide = () => {
    timeline.draw()
    if (!video.paused && !signal.aborted) requestAnimationFrame(glide)
  }
  on(['play'], glide)
}

const changes = ['play', 'pause', 'ended', 'volumechange', 'durationchange', 'seeked', 'emptied']
