/** Builds the contents of the shadow root and updates them on events of the video. */

import type { Chapter } from '../about.ts'
import { keyActions, pressKey } from '../keyboard.ts'
import { messages } from '../messages.ts'
import type { ErrorCode } from '../playback-error.ts'
import { PlayerState } from '../player-state.ts'
import { Bar, playButtonFace, setButton } from './bar.ts'
import { type Captions, openCaptions } from './captions.ts'
import { element, iconButton } from './dom.ts'
import { Menus } from './menu.ts'
import { type ErrorScreen, openErrorScreen, openHelp, openNotice } from './screens.ts'
import { Timeline } from './timeline.ts'
import { openTranscript, type TranscriptOpener } from './transcript-opener.ts'
import { autoHideControls } from './visibility.ts'
import { openWatermark, type Watermark } from './watermark.ts'

export class View {
  readonly player: PlayerState
  readonly captions: Captions
  readonly timeline: Timeline
  readonly notice = openNotice()
  readonly watermark: Watermark
  readonly transcript: TranscriptOpener
  readonly frame = element('div', { class: 'frame', role: 'region', tabindex: -1 })
  readonly #poster = element('img', { class: 'poster', alt: '', hidden: true })
  readonly #title = element('div', { class: 'title' })
  readonly #big = iconButton('play', messages.play, 'big')
  readonly #errorScreen: ErrorScreen
  readonly #help = openHelp(() => this.#visibility.show())
  readonly #menus = new Menus(() => this.#visibility.show())
  readonly #bar: Bar
  readonly #visibility: { readonly show: () => void }
  readonly #keys: ReturnType<typeof keyActions>

  constructor(onRetry: () => void, signal: AbortSignal) {
    const video = element('video', { playsinline: true, crossorigin: 'anonymous', tabindex: -1 })
    this.player = new PlayerState(video, this.frame)
    this.captions = openCaptions(video, () => this.update())
    this.timeline = new Timeline(this.player)
    this.watermark = openWatermark(signal)
    this.#errorScreen = openErrorScreen(onRetry)
    const { captions, timeline } = this
    this.transcript = openTranscript(this.player, {
      captions,
      showMarks: (seconds) => timeline.setMarks(seconds),
      onChange: () => this.update(),
      returnFocus: () => this.#bar.focusTranscriptButton(),
    })
    const { transcript } = this
    const showHelp = this.#help.show
    this.#bar = new Bar(this.player, {
      ...{ menus: this.#menus, captions, timeline: timeline.node, transcript, showHelp },
    })
    const surface = element('div', { class: 'surface' })
    const isBusy = () => this.#menus.isOpen || this.#help.isOpen()
    this.#visibility = autoHideControls(this.player, surface, isBusy)
    const toggleCaptions = () => captions.toggle()
    const openPanel = () => void transcript.open()
    this.#keys = keyActions(this.player, { toggleCaptions, openTranscript: openPanel, showHelp })
    this.#appendLayers(video, surface)
    this.#listen()
    bindVideoEvents(this, signal)
    this.update()
  }

  /** Returns true if the key is a shortcut. */
  press(event: KeyboardEvent): boolean {
    return !this.#help.isOpen() && pressKey(this.#keys, event)
  }

  update(): void {
    const { video } = this.player
    this.frame.classList.toggle('paused', video.paused)
    setButton(this.#big, ...playButtonFace(this.player))
    this.#bar.update()
    this.transcript.update()
    this.timeline.draw()
    this.tick()
  }

  tick(): void {
    this.#bar.tick()
    this.transcript.tick()
    this.timeline.updateAria()
  }

  setTitle(text: string): void {
    this.#title.textContent = text
    this.frame.setAttribute('aria-label', messages.player(text))
  }

  /** Shows these chapters instead of those of the video; undefined ends that. */
  setChapters(chapters: readonly Chapter[] | undefined): void {
    this.player.setChapters(chapters)
    this.timeline.build()
    this.update()
  }

  setPoster(url: string | null): void {
    this.#poster.hidden = url === null
    if (url !== null && this.#poster.src !== url) this.#poster.src = url
  }

  /** `code` is required for the state `fault`. */
  setState(state: 'loading' | 'ready' | 'fault', code?: ErrorCode): void {
    this.frame.dataset['state'] = state
    if (code) {
      this.#menus.close()
      this.#errorScreen.show(code)
    } else this.#errorScreen.hide()
  }

  /** Appends the layers from bottom to top. */
  #appendLayers(video: HTMLVideoElement, surface: HTMLElement): void {
    const spinner = element('div', { class: 'spinner', role: 'status' })
    spinner.append(element('span', { class: 'spoken' }, messages.loading))
    const shade = element('div', { class: 'shade' })
    this.frame.append(video, this.#poster, surface, shade, this.#title)
    this.frame.append(this.captions.node, this.watermark.node, spinner, this.#big)
    this.frame.append(this.notice.node, this.#bar.node, this.#menus.panel)
    this.frame.append(this.#errorScreen.node, this.#help.node)
  }

  #listen(): void {
    // The large play button is for pointers: screen readers and keyboard users have one in the control bar.
    this.#big.setAttribute('aria-hidden', 'true')
    this.#big.tabIndex = -1
    this.#big.addEventListener('click', () => this.player.toggle())
    this.frame.addEventListener('keydown', (event) => this.press(event))
    // Pressing anywhere outside an open menu closes it.
    this.frame.addEventListener('pointerdown', (event) => {
      const path = event.composedPath()
      if (!path.includes(this.#menus.panel) && !path.some(isMenuButton)) this.#menus.close()
    })
  }
}

const isMenuButton = (target: EventTarget) =>
  target instanceof HTMLElement && (target.hasAttribute('aria-haspopup') || target.matches('.chapter'))

/** Keeps the view in sync with the video; the timeline is animated during playback. */
function bindVideoEvents(view: View, signal: AbortSignal): void {
  const { frame, timeline, captions, player } = view
  const { video } = player
  const on = (events: readonly string[], act: () => void) => {
    for (const event of events) video.addEventListener(event, act, { signal })
  }
  on(updateEvents, () => view.update())
  on(['timeupdate', 'seeking'], () => view.tick())
  on(['progress', 'timeupdate', 'seeking'], () => timeline.draw())
  on(['timeupdate', 'seeked'], () => captions.draw())
  on(['waiting', 'seeking'], () => frame.classList.add('waiting'))
  on(['playing', 'canplay', 'seeked', 'emptied', 'error'], () => frame.classList.remove('waiting'))
  // Hides the poster once a frame is shown: of the playing video, or of the position at which it starts.
  on(['playing'], () => frame.classList.add('begun'))
  on(['seeked'], () => player.time >= AFTER_START_SECONDS && frame.classList.add('begun'))
  document.addEventListener('fullscreenchange', () => view.update(), { signal })
  const animate = () => {
    timeline.draw()
    if (!video.paused && !signal.aborted) requestAnimationFrame(animate)
  }
  on(['play'], animate)
}

/** A video that is loaded without a position may start some frames later. */
const AFTER_START_SECONDS = 0.25

const updateEvents = ['play', 'pause', 'ended', 'volumechange', 'durationchange', 'seeked', 'emptied']
