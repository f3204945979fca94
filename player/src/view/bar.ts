/** The control bar at the bottom. */

import { messages } from '../messages.ts'
import type { PlayerState } from '../player-state.ts'
import { indexAt } from '../timeline/chapters.ts'
import { clock } from '../timeline/time.ts'
import type { Captions } from './captions.ts'
import { element, type IconName, iconButton, setIcon, setLabel } from './dom.ts'
import type { Menus } from './menu.ts'
import { captionsPage, chaptersPage, settingsPage } from './pages.ts'
import type { TranscriptOpener } from './transcript-opener.ts'

export type BarParts = {
  readonly menus: Menus
  readonly captions: Captions
  readonly timeline: HTMLElement
  readonly transcript: TranscriptOpener
  readonly showHelp: () => void
}

export class Bar {
  readonly node: HTMLElement
  readonly #player: PlayerState
  readonly #parts: BarParts
  readonly #play = iconButton('play', messages.play, 'play')
  readonly #mute = iconButton('loud', messages.mute)
  readonly #volume = element('input', { type: 'range', class: 'volume', ...volumeRange })
  readonly #now = element('span', { class: 'now' }, '0:00')
  readonly #all = element('span', { class: 'all' })
  readonly #chapter = element('button', { type: 'button', class: 'chapter', hidden: true })
  readonly #buttons = {
    captions: menuButton('captions', messages.captions),
    transcript: iconButton('transcript', messages.transcript),
    chapters: menuButton('chapters', messages.chapters),
    settings: menuButton('settings', messages.settings),
    float: iconButton('picture', messages.pictureInPicture, 'float'),
    full: iconButton('full', messages.fullScreen),
  }

  constructor(player: PlayerState, parts: BarParts) {
    this.#player = player
    this.#parts = parts
    const sound = element('div', { class: 'sound' }, this.#mute, this.#volume)
    const slash = element('span', {}, ' / ')
    const time = element('div', { class: 'time' }, this.#now, slash, this.#all)
    const row = element('div', { class: 'row' }, this.#play, sound, time, this.#chapter)
    row.append(element('div', { class: 'space' }), ...Object.values(this.#buttons))
    this.node = element('div', { class: 'bar' }, parts.timeline, row)
    this.#listenToSound()
    this.#listenToMenus()
    const ignoreRefusal = (request: Promise<void>) => void request.catch(() => undefined)
    this.#play.addEventListener('click', () => player.toggle())
    this.#buttons.transcript.addEventListener('click', () => parts.transcript.toggle())
    this.#buttons.float.addEventListener('click', () => ignoreRefusal(player.toggleFloating()))
    this.#buttons.full.addEventListener('click', () => ignoreRefusal(player.toggleFull()))
  }

  focusTranscriptButton(): void {
    this.#buttons.transcript.focus()
  }

  /** Updates the elements that change during playback. */
  tick(): void {
    const { segments, time, duration } = this.#player
    this.#now.textContent = clock(Math.min(time, duration))
    const title = segments[indexAt(segments, time)]?.title ?? null
    this.#chapter.hidden = title === null
    if (this.#chapter.textContent === (title ?? '')) return
    this.#chapter.textContent = title
    this.#chapter.setAttribute('aria-label', `${messages.chapters}: ${title}`)
  }

  /** Updates the elements that change on events. */
  update(): void {
    const { video, duration, canFloat } = this.#player
    setButton(this.#play, ...playButtonFace(this.#player))
    setButton(this.#mute, ...muteButtonFace(video))
    const level = String(video.muted ? 0 : video.volume)
    this.#volume.value = level
    this.#volume.style.setProperty('--level', level)
    this.#all.textContent = clock(duration)
    const { captions, transcript: panel } = this.#parts
    const { captions: button, transcript, chapters, float, full } = this.#buttons
    chapters.hidden = this.#player.chapters.length === 0
    button.hidden = captions.tracks().length === 0
    transcript.hidden = button.hidden
    transcript.setAttribute('aria-expanded', String(panel.isOpen))
    button.classList.toggle('on', captions.shown() !== undefined)
    describeCaptions(button, captions)
    float.hidden = !canFloat
    setButton(full, ...fullScreenButtonFace(this.#player))
  }

  #listenToSound(): void {
    const { video } = this.#player
    this.#mute.addEventListener('click', () => {
      video.muted = !video.muted
    })
    this.#volume.addEventListener('input', () => {
      video.volume = this.#volume.valueAsNumber
      video.muted = this.#volume.valueAsNumber === 0
    })
  }

  #listenToMenus(): void {
    const { menus, captions, showHelp } = this.#parts
    const { captions: button, chapters, settings } = this.#buttons
    const openChapters = () => menus.toggle(chapters, () => chaptersPage(this.#player))
    this.#chapter.addEventListener('click', openChapters)
    chapters.addEventListener('click', openChapters)
    settings.addEventListener('click', () =>
      menus.toggle(settings, () => settingsPage(this.#player, captions, showHelp)),
    )
    button.addEventListener('click', () => {
      if (captions.tracks().length === 1) captions.toggle()
      else menus.toggle(button, () => captionsPage(captions))
    })
  }
}

const volumeRange = { min: 0, max: 1, step: 0.05, 'aria-label': messages.volume }

type ButtonFace = [icon: IconName, label: string]

export function playButtonFace({ video, ended }: PlayerState): ButtonFace {
  if (ended) return ['replay', messages.replay]
  return video.paused ? ['play', messages.play] : ['pause', messages.pause]
}

function muteButtonFace({ muted, volume }: HTMLVideoElement): ButtonFace {
  if (muted || volume === 0) return ['muted', messages.unmute]
  return [volume < 0.5 ? 'quiet' : 'loud', messages.mute]
}

const fullScreenButtonFace = ({ isFull }: PlayerState): ButtonFace =>
  isFull ? ['small', messages.leaveFullScreen] : ['full', messages.fullScreen]

/** A single caption track makes the captions button a toggle; several make it open a menu. */
function describeCaptions(button: HTMLElement, captions: Captions): void {
  const isSingle = captions.tracks().length === 1
  if (isSingle) {
    button.removeAttribute('aria-haspopup')
    button.removeAttribute('aria-expanded')
    button.setAttribute('aria-pressed', String(captions.shown() !== undefined))
  } else {
    button.removeAttribute('aria-pressed')
    button.setAttribute('aria-haspopup', 'menu')
  }
}

export function setButton(button: HTMLElement, icon: IconName, label: string): void {
  setIcon(button, icon)
  setLabel(button, label)
}

function menuButton(icon: IconName, label: string): HTMLButtonElement {
  const button = iconButton(icon, label)
  button.setAttribute('aria-haspopup', 'menu')
  button.setAttribute('aria-expanded', 'false')
  return button
}
