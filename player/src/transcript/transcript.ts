/**
 * The transcript beside the video: the cues of a caption track as a list that follows playback, seeks when one is
 * chosen, and can be searched. Loaded when it is opened for the first time.
 */
import { messages } from '../messages.ts'
import type { PlayerState } from '../player-state.ts'
import { clock } from '../timeline/time.ts'
import type { Captions } from '../view/captions.ts'
import { element, iconButton } from '../view/dom.ts'
import { CueList } from './cue-list.ts'
import { type Cue, cueAt, findCues } from './cue-search.ts'
import css from './transcript.css?inline'

export const transcriptSheet = new CSSStyleSheet()
transcriptSheet.replaceSync(css)

type Parts = {
  readonly captions: Captions
  /** Shows where in the video the search has found something. */
  readonly showMarks: (seconds: readonly number[]) => void
  /** Called after the panel was opened or closed. */
  readonly onChange: () => void
  /** Moves the focus to the button that opens the panel. */
  readonly returnFocus: () => void
}

export class Transcript {
  readonly node = element('section', { class: 'transcript', 'aria-label': messages.transcript, hidden: true })
  readonly #player: PlayerState
  readonly #parts: Parts
  readonly #field = element('input', { type: 'search', class: 'transcript-field', ...fieldAttributes })
  readonly #track = element('select', { class: 'transcript-track', 'aria-label': messages.transcriptLanguage })
  readonly #status = element('div', { class: 'transcript-status', role: 'status' })
  readonly #list = new CueList((seconds) => this.#player.seek(seconds))
  #tracks: ReturnType<Captions['tracks']> = []
  #trackId: string | undefined
  #cues: readonly Cue[] = []
  /** Indexes of the cues that were found. */
  #found: readonly number[] = []

  constructor(player: PlayerState, parts: Parts) {
    this.#player = player
    this.#parts = parts
    const close = iconButton('close', messages.close)
    close.addEventListener('click', () => this.close())
    const header = element('div', { class: 'transcript-header' }, this.#field, this.#track, close)
    this.node.append(header, this.#status, this.#list.node)
    this.#field.addEventListener('input', () => this.#search())
    this.#track.addEventListener('change', () => void this.#load(this.#track.value))
    this.node.addEventListener('keydown', (event) => this.#press(event))
  }

  get isOpen(): boolean {
    return !this.node.hidden
  }

  /** Moves the focus to the search field. */
  open(): void {
    this.node.hidden = false
    this.update()
    this.#parts.onChange()
    this.#field.focus({ preventScroll: true })
    this.#field.select()
  }

  close(): void {
    if (this.node.hidden) return
    if (this.node.contains((this.node.getRootNode() as ShadowRoot).activeElement)) this.#parts.returnFocus()
    this.node.hidden = true
    this.#parts.onChange()
  }

  /** Reads the tracks again if they have changed. */
  update(): void {
    const { captions } = this.#parts
    const tracks = captions.tracks()
    if (this.node.hidden || tracks === this.#tracks) return
    this.#tracks = tracks
    this.#track.hidden = tracks.length < 2
    this.#track.replaceChildren(...tracks.map(({ id, label }) => element('option', { value: id }, label)))
    const kept = tracks.find(({ id }) => id === this.#trackId)
    const id = (kept ?? captions.shown() ?? captions.preferred())?.id
    if (id === undefined) this.close()
    else void this.#load(id)
  }

  /** Shows which cue is said. */
  tick(): void {
    if (!this.node.hidden) this.#list.setCurrent(cueAt(this.#cues, this.#player.time))
  }

  async #load(id: string): Promise<void> {
    this.#trackId = id
    this.#track.value = id
    this.#status.textContent = messages.loading
    this.#show([])
    const cues = await this.#parts.captions.read(id).catch(() => undefined)
    // Another track was chosen in the meantime.
    if (id !== this.#trackId) return
    if (cues) this.#show(cues.map((cue) => toCue(cue, this.#player)).filter(({ text }) => text !== ''))
    else this.#status.textContent = messages.transcriptFailed
  }

  #show(cues: readonly Cue[]): void {
    this.#cues = cues
    this.#list.setCues(cues, this.#tracks.find(({ id }) => id === this.#trackId)?.language)
    if (cues.length > 0) this.#search()
    this.tick()
  }

  #search(): void {
    const query = this.#field.value.trim()
    const found = findCues(this.#cues, query)
    this.#found = [...found.keys()]
    this.#list.filter(query === '' ? undefined : found)
    this.#parts.showMarks(this.#found.flatMap((index) => this.#cues[index]?.start ?? []))
    this.#status.textContent = query === '' ? '' : messages.results(found.size)
  }

  /** Seeks to the next result after the current position, or the one before it; after the last one to the first. */
  #seekToResult(step: 1 | -1): void {
    const starts = this.#found.flatMap((index) => this.#cues[index]?.start ?? [])
    const { time } = this.#player
    const next =
      step === 1
        ? (starts.find((start) => start > time + SAME_SECONDS) ?? starts[0])
        : (starts.findLast((start) => start < time - SAME_SECONDS) ?? starts.at(-1))
    if (next === undefined) return
    this.#player.seek(next)
    this.#status.textContent = messages.result(starts.indexOf(next) + 1, starts.length, clock(next))
  }

  /** Keys in the panel are no shortcuts of the player. */
  #press(event: KeyboardEvent): void {
    event.stopPropagation()
    if (event.key === 'Escape') {
      if (this.#field.value === '') this.close()
      else {
        this.#field.value = ''
        this.#search()
        this.#field.focus()
      }
    } else if (event.target !== this.#field) return
    else if (event.key === 'Enter') this.#seekToResult(event.shiftKey ? -1 : 1)
    else if (event.key === 'ArrowDown') this.#list.focusFirst()
    else return
    event.preventDefault()
  }
}

/** After a seek to a result, the position may be some frames before or after its start. */
const SAME_SECONDS = 0.25

const fieldAttributes = {
  placeholder: messages.search,
  'aria-label': messages.searchTranscript,
  autocomplete: 'off',
  enterkeyhint: 'search',
}

/** Times of cues are those of the playlist, of which the player may show a part. */
const toCue = (cue: VTTCue, { offset }: PlayerState): Cue => ({
  start: Math.max(0, cue.startTime - offset),
  end: cue.endTime - offset,
  text: (cue.getCueAsHTML().textContent ?? '').replace(/\s+/g, ' ').trim(),
})
