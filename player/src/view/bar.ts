/** The bar at the bottom: what one presses, and what it shows. */
import { indexAt } from '../chapters.ts'
import type { Deck } from '../deck.ts'
import { clock } from '../time.ts'
import { words } from '../words.ts'
import type { Captions } from './captions.ts'
import { element, type IconName, iconButton, setIcon, setLabel } from './dom.ts'
import type { Menus } from './menu.ts'
import { captionsPage, chaptersPage, settingsPage } from './pages.ts'

export type BarParts = {
  readonly menus: Menus
  readonly captions: Captions
  readonly timeline: HTMLElement
  readonly showHelp: () => void
}

export class Bar {
  readonly node: HTMLElement
  readonly #deck: Deck
  readonly #parts: BarParts
  readonly #play = iconButton('play', words.play, 'play')
  readonly #mute = iconButton('loud', words.mute)
  readonly #volume = element('input', { type: 'range', class: 'volume', ...volumeRange })
  readonly #now = element('span', { class: 'now' }, '0:00')
  readonly #all = element('span', { class: 'all' })
  readonly #chapter = element('button', { type: 'button', class: 'chapter', hidden: true })
  readonly #buttons = {
    captions: menuButton('captions', words.captions),
    chapters: menuButton('chapters', words.chapters),
    settings: menuButton('settings', words.settings),
    float: iconButton('picture', words.pictureInPicture, 'float'),
    full: iconButton('full', words.fullScreen),
  }

  constructor(deck: Deck, parts: BarParts) {
    this.#deck = deck
    this.#parts = parts
    const sound = element('div', { class: 'sound' }, this.#mute, this.#volume)
    const slash = element('span', {}, ' / ')
    const time = element('div', { class: 'time' }, this.#now, slash, this.#all)
    const row = element('div', { class: 'row' }, this.#play, sound, time, this.#chapter)
    row.append(element('div', { class: 'space' }), ...Object.values(this.#buttons))
    this.node = element('div', { class: 'bar' }, parts.timeline, row)
    this.#listenToSound()
    this.#listenToMenus()
    const granted = (wish: Promise<void>) => void wish.catch(() => undefined)
    this.#play.addEventListener('click', () => deck.toggle())
    this.#buttons.float.addEventListener('click', () => granted(deck.toggleFloating()))
    this.#buttons.full.addEventListener('click', () => granted(deck.toggleFull()))
  }

  /** What changes while it plays. */
  tick(): void {
    const { segments, video, duration } = this.#deck
    this.#now.textContent = clock(Math.min(video.currentTime, duration))
    const title = segments[indexAt(segments, video.currentTime)]?.title ?? null
    this.#chapter.hidden = title === null
    if (this.#chapter.textContent === (title ?? '')) return
    this.#chapter.textContent = title
    this.#chapter.setAttribute('aria-label', `${words.chapters}: ${title}`)
  }

  /** What changes when something happens. */
  update(): void {
    const { video, about, duration, canFloat } = this.#deck
    set(this.#play, ...playing(video))
    set(this.#mute, ...loudness(video))
    const level = String(video.muted ? 0 : video.volume)
    this.#volume.value = level
    this.#volume.style.setProperty('--level', level)
    this.#all.textContent = clock(duration)
    const { captions } = this.#parts
    const { captions: button, chapters, float, full } = this.#buttons
    chapters.hidden = (about?.chapters.length ?? 0) === 0
    button.hidden = captions.tracks().length === 0
    button.classList.toggle('on', captions.shown() !== undefined)
    describeCaptions(button, captions)
    float.hidden = !canFloat
    set(full, ...fullness(this.#deck))
  }

  #listenToSound(): void {
    const { video } = this.#deck
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
    const openChapters = () => menus.toggle(chapters, () => chaptersPage(this.#deck))
    this.#chapter.addEventListener('click', openChapters)
    chapters.addEventListener('click', openChapters)
    settings.addEventListener('click', () =>
      menus.toggle(settings, () => settingsPage(this.#deck, captions, showHelp)),
    )
    button.addEventListener('click', () => {
      if (captions.tracks().length === 1) captions.toggle()
      else menus.toggle(button, () => captionsPage(captions))
    })
  }
}

const volumeRange = { min: 0, max: 1, step: 0.05, 'aria-label': words.volume }

type Look = [icon: IconName, label: string]

export function playing({ paused, ended }: HTMLVideoElement): Look {
  if (ended) return ['replay', words.replay]
  return paused ? ['play', words.play] : ['pause', words.pause]
}

function loudness({ muted, volume }: HTMLVideoElement): Look {
  if (muted || volume === 0) return ['muted', words.unmute]
  return [volume < 0.5 ? 'quiet' : 'loud', words.mute]
}

const fullness = ({ isFull }: Deck): Look =>
  isFull ? ['small', words.leaveFullScreen] : ['full', words.fullScreen]

/** One track is turned on and off, several are chosen from. */
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

export function set(button: HTMLElement, icon: IconName, label: string): void {
  setIcon(button, icon)
  setLabel(button, label)
}

function menuButton(icon: IconName, label: string): HTMLButtonElement {
  const button = iconButton(icon, label)
  button.setAttribute('aria-haspopup', 'menu')
  button.setAttribute('aria-expanded', 'false')
  return button
}
