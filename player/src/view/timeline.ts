/** The timeline: a slider with one segment per chapter and a preview at the pointer. */

import { messages } from '../messages.ts'
import type { PlayerState } from '../player-state.ts'
import { indexAt } from '../timeline/chapters.ts'
import { paintTile, tileAt } from '../timeline/storyboard.ts'
import { clock, spoken } from '../timeline/time.ts'
import { element } from './dom.ts'

/** Maximum number of segments with gaps; more segments are drawn without gaps between them. */
const SEGMENTS_WITH_GAPS_MAX = 60
const STEP_SECONDS = 5
/** More marks could not be distinguished. */
const MARKS_MAX = 400
const THUMBNAIL_WIDTH = 176

type TrackSegment = {
  readonly start: number
  readonly end: number
  readonly node: HTMLElement
  readonly fills: Record<'made' | 'loaded' | 'played', HTMLElement>
}

export class Timeline {
  readonly node: HTMLElement
  readonly #player: PlayerState
  readonly #track = element('div', { class: 'track' })
  readonly #marks = element('div', { class: 'marks', 'aria-hidden': 'true' })
  readonly #thumb = element('div', { class: 'thumb' })
  readonly #slider: HTMLElement
  readonly #preview: Preview
  #trackSegments: readonly TrackSegment[] = []
  /** Position of the thumb while it is dragged; the video seeks when it is released. */
  #dragPosition: number | undefined

  constructor(player: PlayerState) {
    this.#player = player
    const attributes = { role: 'slider', tabindex: 0, 'aria-label': messages.position }
    this.#slider = element('div', { class: 'timeline', ...attributes }, this.#track, this.#marks, this.#thumb)
    this.#preview = openPreview(player)
    this.node = element('div', { class: 'timeline-area' }, this.#slider, this.#preview.node)
    this.#listen()
  }

  /** Rebuilds the segments. Call it when the chapters or the duration have changed. */
  build(): void {
    this.#trackSegments = this.#player.segments.map(toTrackSegment)
    this.#track.classList.toggle('dense', this.#trackSegments.length > SEGMENTS_WITH_GAPS_MAX)
    this.#track.replaceChildren(...this.#trackSegments.map(({ node }) => node))
    this.draw()
    this.updateAria()
  }

  /** Marks positions, for example the results of a search. Those at the same place share a mark. */
  setMarks(seconds: readonly number[]): void {
    const places = new Set(seconds.map((second) => Math.round(this.#fraction(second) * MARKS_MAX) / MARKS_MAX))
    this.#marks.replaceChildren(
      ...[...places].map((place) => {
        const mark = element('span')
        mark.style.left = `${100 * place}%`
        return mark
      }),
    )
  }

  draw(): void {
    const now = this.#now
    const { reach, video, offset } = this.#player
    const levels = { made: reach, loaded: loadedUntil(video) - offset, played: now }
    for (const segment of this.#trackSegments) {
      for (const name of ['made', 'loaded', 'played'] as const) fill(segment, name, levels[name])
    }
    this.#thumb.style.left = `${100 * Math.min(1, this.#fraction(now))}%`
  }

  /** Updates the text for screen readers, once per second rather than per frame. */
  updateAria(): void {
    const { duration, segments } = this.#player
    const now = Math.floor(Math.min(this.#now, duration))
    const { title } = segments[indexAt(segments, now)] ?? {}
    const position = messages.of(spoken(now), spoken(duration))
    const values = { valuemin: 0, valuemax: Math.floor(duration), valuenow: now }
    for (const [name, value] of Object.entries(values)) {
      this.#slider.setAttribute(`aria-${name}`, String(value))
    }
    this.#slider.setAttribute('aria-valuetext', title ? `${position}, ${title}` : position)
  }

  get #now(): number {
    return this.#dragPosition ?? this.#player.time
  }

  #fraction(seconds: number): number {
    return this.#player.duration > 0 ? seconds / this.#player.duration : 0
  }

  #secondsAt({ clientX }: PointerEvent): number {
    const { left, width } = this.#track.getBoundingClientRect()
    return Math.max(0, Math.min(1, (clientX - left) / width)) * this.#player.duration
  }

  #listen(): void {
    const slider = this.#slider
    slider.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return
      slider.setPointerCapture(event.pointerId)
      slider.classList.add('dragged')
      this.#dragPosition = this.#player.time
      this.#point(event)
    })
    slider.addEventListener('pointermove', (event) => this.#point(event))
    slider.addEventListener('pointerup', (event) => {
      if (this.#dragPosition !== undefined) this.#player.seek(this.#secondsAt(event))
      this.#endDrag()
    })
    slider.addEventListener('pointercancel', () => this.#endDrag())
    slider.addEventListener('pointerleave', () => this.#dragPosition === undefined && this.#hidePreview())
    slider.addEventListener('keydown', (event) => this.#press(event))
  }

  #point(event: PointerEvent): void {
    const seconds = this.#secondsAt(event)
    this.#preview.show(seconds, this.#fraction(seconds))
    const index = indexAt(this.#player.segments, seconds)
    for (const [position, { node }] of this.#trackSegments.entries()) {
      node.classList.toggle('pointed', position === index)
    }
    if (this.#dragPosition === undefined) return
    this.#dragPosition = Math.min(seconds, this.#player.reach)
    this.draw()
  }

  #hidePreview(): void {
    this.#preview.hide()
    for (const { node } of this.#trackSegments) node.classList.remove('pointed')
  }

  #endDrag(): void {
    this.#dragPosition = undefined
    this.#slider.classList.remove('dragged')
    this.#hidePreview()
    this.draw()
  }

  #press(event: KeyboardEvent): void {
    const moves: Record<string, () => void> = {
      ArrowUp: () => this.#player.skip(STEP_SECONDS),
      ArrowDown: () => this.#player.skip(-STEP_SECONDS),
      PageUp: () => this.#player.skipChapter(1),
      PageDown: () => this.#player.skipChapter(-1),
    }
    const move = moves[event.key]
    if (!move) return
    move()
    event.preventDefault()
    event.stopPropagation()
  }
}

function toTrackSegment({ start, end }: { start: number; end: number }): TrackSegment {
  const layer = (name: string) => element('div', { class: `fill ${name}` })
  const fills = { made: layer('made'), loaded: layer('loaded'), played: layer('played') }
  const node = element('div', { class: 'timeline-chapter' }, fills.made, fills.loaded, fills.played)
  node.style.flexGrow = String(Math.max(0.001, end - start))
  return { start, end, node, fills }
}

/** Fills a segment of the timeline up to a position. Changes the DOM only if the value has changed. */
function fill({ start, end, fills }: TrackSegment, name: keyof TrackSegment['fills'], seconds: number): void {
  const part = Math.max(0, Math.min(1, (seconds - start) / Math.max(0.001, end - start)))
  const transform = `scaleX(${Number(part.toFixed(4))})`
  if (fills[name].style.transform !== transform) fills[name].style.transform = transform
}

/** End of the buffered range at the current position. */
function loadedUntil({ buffered, currentTime }: HTMLVideoElement): number {
  for (let index = 0; index < buffered.length; index++) {
    if (buffered.start(index) <= currentTime + 0.5 && buffered.end(index) > currentTime) {
      return buffered.end(index)
    }
  }
  return currentTime
}

type Preview = ReturnType<typeof openPreview>

function openPreview(player: PlayerState) {
  const thumbnail = element('div', { class: 'picture', hidden: true })
  const chapter = element('div', { class: 'preview-chapter' })
  const time = element('div', { class: 'preview-time' })
  const text = element('div', { class: 'preview-words' }, chapter, time)
  const node = element('div', { class: 'preview', 'aria-hidden': 'true' }, thumbnail, text)
  return {
    node,
    show(seconds: number, fraction: number): void {
      const tile = tileAt(player.tiles, seconds)
      thumbnail.hidden = tile === undefined
      if (tile) paintTile(thumbnail, tile, Math.min(THUMBNAIL_WIDTH, player.frame.clientWidth * 0.4))
      chapter.textContent = player.segments[indexAt(player.segments, seconds)]?.title ?? ''
      time.textContent = clock(seconds)
      node.classList.add('shown')
      // Keep the preview within the player.
      const available = node.parentElement?.clientWidth ?? 0
      const half = node.offsetWidth / 2
      const center = Math.max(half, Math.min(available - half, fraction * available))
      node.style.left = `${center}px`
    },
    hide: () => node.classList.remove('shown'),
  }
}
