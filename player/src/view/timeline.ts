/**
 * Where one is in the video: a bar in as many pieces as there are chapters, with a picture of
 * wherever one points to.
 */
import { indexAt } from '../chapters.ts'
import type { Deck } from '../deck.ts'
import { paintTile, tileAt } from '../storyboard.ts'
import { clock, spoken } from '../time.ts'
import { words } from '../words.ts'
import { element } from './dom.ts'

/** More than these lie too close for gaps between them. */
const GAPS_MAX = 60
const STEP_SECONDS = 5
const PICTURE_WIDTH = 176

type Piece = {
  readonly start: number
  readonly end: number
  readonly node: HTMLElement
  readonly fills: Record<'made' | 'loaded' | 'played', HTMLElement>
}

export class Timeline {
  readonly node: HTMLElement
  readonly #deck: Deck
  readonly #track = element('div', { class: 'track' })
  readonly #thumb = element('div', { class: 'thumb' })
  readonly #slider: HTMLElement
  readonly #preview: Preview
  #pieces: readonly Piece[] = []
  /** Where a finger or pointer holds it; it is sought when that lets go. */
  #held: number | undefined

  constructor(deck: Deck) {
    this.#deck = deck
    const says = { role: 'slider', tabindex: 0, 'aria-label': words.position }
    this.#slider = element('div', { class: 'timeline', ...says }, this.#track, this.#thumb)
    this.#preview = openPreview(deck)
    this.node = element('div', { class: 'timeline-area' }, this.#slider, this.#preview.node)
    this.#listen()
  }

  /** After chapters or duration have become known. */
  build(): void {
    this.#pieces = this.#deck.segments.map(toPiece)
    this.#track.classList.toggle('dense', this.#pieces.length > GAPS_MAX)
    this.#track.replaceChildren(...this.#pieces.map(({ node }) => node))
    this.draw()
    this.tell()
  }

  draw(): void {
    const now = this.#now
    const { reach, video } = this.#deck
    const levels = { made: reach, loaded: loadedUntil(video), played: now }
    for (const piece of this.#pieces) {
      for (const name of ['made', 'loaded', 'played'] as const) fill(piece, name, levels[name])
    }
    this.#thumb.style.left = `${100 * Math.min(1, this.#fraction(now))}%`
  }

  /** What is read out changes by the second, not by the frame. */
  tell(): void {
    const { duration, segments } = this.#deck
    const now = Math.floor(Math.min(this.#now, duration))
    const { title } = segments[indexAt(segments, now)] ?? {}
    const place = words.of(spoken(now), spoken(duration))
    const values = { valuemin: 0, valuemax: Math.floor(duration), valuenow: now }
    for (const [name, value] of Object.entries(values)) {
      this.#slider.setAttribute(`aria-${name}`, String(value))
    }
    this.#slider.setAttribute('aria-valuetext', title ? `${place}, ${title}` : place)
  }

  get #now(): number {
    return this.#held ?? this.#deck.video.currentTime
  }

  #fraction(seconds: number): number {
    return this.#deck.duration > 0 ? seconds / this.#deck.duration : 0
  }

  #secondsAt({ clientX }: PointerEvent): number {
    const { left, width } = this.#track.getBoundingClientRect()
    return Math.max(0, Math.min(1, (clientX - left) / width)) * this.#deck.duration
  }

  #listen(): void {
    const slider = this.#slider
    slider.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return
      slider.setPointerCapture(event.pointerId)
      slider.classList.add('dragged')
      this.#held = this.#deck.video.currentTime
      this.#point(event)
    })
    slider.addEventListener('pointermove', (event) => this.#point(event))
    slider.addEventListener('pointerup', (event) => {
      if (this.#held !== undefined) this.#deck.seek(this.#secondsAt(event))
      this.#drop()
    })
    slider.addEventListener('pointercancel', () => this.#drop())
    slider.addEventListener('pointerleave', () => this.#held === undefined && this.#leave())
    slider.addEventListener('keydown', (event) => this.#press(event))
  }

  #point(event: PointerEvent): void {
    const seconds = this.#secondsAt(event)
    this.#preview.show(seconds, this.#fraction(seconds))
    const index = indexAt(this.#deck.segments, seconds)
    for (const [at, { node }] of this.#pieces.entries()) {
      node.classList.toggle('pointed', at === index)
    }
    if (this.#held === undefined) return
    this.#held = Math.min(seconds, this.#deck.reach)
    this.draw()
  }

  #leave(): void {
    this.#preview.hide()
    for (const { node } of this.#pieces) node.classList.remove('pointed')
  }

  #drop(): void {
    this.#held = undefined
    this.#slider.classList.remove('dragged')
    this.#leave()
    this.draw()
  }

  #press(event: KeyboardEvent): void {
    const moves: Record<string, () => void> = {
      ArrowUp: () => this.#deck.skip(STEP_SECONDS),
      ArrowDown: () => this.#deck.skip(-STEP_SECONDS),
      PageUp: () => this.#deck.skipChapter(1),
      PageDown: () => this.#deck.skipChapter(-1),
    }
    const move = moves[event.key]
    if (!move) return
    move()
    event.preventDefault()
    event.stopPropagation()
  }
}

function toPiece({ start, end }: { start: number; end: number }): Piece {
  const layer = (name: string) => element('div', { class: `fill ${name}` })
  const fills = { made: layer('made'), loaded: layer('loaded'), played: layer('played') }
  const node = element('div', { class: 'piece' }, fills.made, fills.loaded, fills.played)
  node.style.flexGrow = String(Math.max(0.001, end - start))
  return { start, end, node, fills }
}

/** Touches the page only if something is another. */
function fill({ start, end, fills }: Piece, name: keyof Piece['fills'], seconds: number): void {
  const part = Math.max(0, Math.min(1, (seconds - start) / Math.max(0.001, end - start)))
  const transform = `scaleX(${Number(part.toFixed(4))})`
  if (fills[name].style.transform !== transform) fills[name].style.transform = transform
}

/** To the end of what is loaded around the place where one is. */
function loadedUntil({ buffered, currentTime }: HTMLVideoElement): number {
  for (let index = 0; index < buffered.length; index++) {
    if (buffered.start(index) <= currentTime + 0.5 && buffered.end(index) > currentTime) {
      return buffered.end(index)
    }
  }
  return currentTime
}

type Preview = ReturnType<typeof openPreview>

function openPreview(deck: Deck) {
  const picture = element('div', { class: 'picture', hidden: true })
  const chapter = element('div', { class: 'preview-chapter' })
  const time = element('div', { class: 'preview-time' })
  const words = element('div', { class: 'preview-words' }, chapter, time)
  const node = element('div', { class: 'preview', 'aria-hidden': 'true' }, picture, words)
  return {
    node,
    show(seconds: number, fraction: number): void {
      const tile = tileAt(deck.tiles, seconds)
      picture.hidden = tile === undefined
      if (tile) paintTile(picture, tile, Math.min(PICTURE_WIDTH, deck.frame.clientWidth * 0.4))
      chapter.textContent = deck.segments[indexAt(deck.segments, seconds)]?.title ?? ''
      time.textContent = clock(seconds)
      node.classList.add('shown')
      // Never beyond the edges.
      const room = node.parentElement?.clientWidth ?? 0
      const half = node.offsetWidth / 2
      const centre = Math.max(half, Math.min(room - half, fraction * room))
      node.style.left = `${centre}px`
    },
    hide: () => node.classList.remove('shown'),
  }
}
