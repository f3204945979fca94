/** The list of cues. Only one of them is in the tab order; the arrow keys move between them. */
import { clock, spoken } from '../timeline/time.ts'
import { element } from '../view/dom.ts'
import type { Cue, Match } from './cue-search.ts'

/** After the viewer has scrolled the list, it does not follow playback for this time. */
const FOLLOW_PAUSE_MILLISECONDS = 6000

type Row = { readonly cue: Cue; readonly button: HTMLButtonElement; readonly text: HTMLElement }

export class CueList {
  readonly node = element('div', { class: 'cues', role: 'list' })
  readonly #onSeek: (seconds: number) => void
  #rows: readonly Row[] = []
  #current = -1
  #scrolledAt = Number.NEGATIVE_INFINITY

  constructor(onSeek: (seconds: number) => void) {
    this.#onSeek = onSeek
    const pause = () => {
      this.#scrolledAt = performance.now()
    }
    for (const event of ['wheel', 'touchmove', 'pointerdown']) {
      this.node.addEventListener(event, pause, { passive: true })
    }
    this.node.addEventListener('keydown', (event) => this.#press(event))
    this.node.addEventListener('focusin', (event) => this.#makeTabStop(event.target))
  }

  setCues(cues: readonly Cue[], language: string | undefined): void {
    this.#current = -1
    this.#rows = cues.map((cue) => this.#toRow(cue, language))
    this.node.replaceChildren(...this.#rows.map(({ button }) => element('div', { role: 'listitem' }, button)))
    this.#makeTabStop(this.#rows[0]?.button)
    this.node.scrollTop = 0
  }

  /** Shows only the cues with matches; undefined shows all. */
  filter(found: ReadonlyMap<number, readonly Match[]> | undefined): void {
    for (const [index, { cue, button, text }] of this.#rows.entries()) {
      const matches = found?.get(index)
      if (button.parentElement) button.parentElement.hidden = found !== undefined && matches === undefined
      text.replaceChildren(...marked(cue.text, matches ?? []))
    }
    this.#makeTabStop(this.#shown[0]?.button)
    this.#scrolledAt = Number.NEGATIVE_INFINITY
    this.#follow()
  }

  setCurrent(index: number): void {
    if (index === this.#current) return
    this.#rows[this.#current]?.button.removeAttribute('aria-current')
    this.#rows[index]?.button.setAttribute('aria-current', 'true')
    this.#current = index
    this.#follow()
  }

  focusFirst(): void {
    this.#shown[0]?.button.focus()
  }

  get #shown(): readonly Row[] {
    return this.#rows.filter(({ button }) => button.parentElement?.hidden === false)
  }

  #toRow(cue: Cue, language: string | undefined): Row {
    const text = element('span', { class: 'cue-text', ...(language !== undefined && { lang: language }) }, cue.text)
    const time = element('span', { class: 'cue-time' }, element('span', { 'aria-hidden': 'true' }, clock(cue.start)))
    time.append(element('span', { class: 'spoken' }, spoken(cue.start)))
    const button = element('button', { type: 'button', class: 'cue', tabindex: -1 }, time, text)
    button.addEventListener('click', () => this.#onSeek(cue.start))
    return { cue, button, text }
  }

  /** Scrolls to the current cue, unless the viewer reads elsewhere. Unlike scrollIntoView, the page does not scroll. */
  #follow(): void {
    const row = this.#rows[this.#current]?.button.parentElement
    const hasFocus = this.node.contains((this.node.getRootNode() as ShadowRoot).activeElement)
    if (!row || row.hidden || hasFocus || performance.now() - this.#scrolledAt < FOLLOW_PAUSE_MILLISECONDS) return
    this.node.scrollTop = row.offsetTop - (this.node.clientHeight - row.offsetHeight) / 2
  }

  #makeTabStop(target: EventTarget | null | undefined): void {
    if (!(target instanceof HTMLButtonElement)) return
    for (const { button } of this.#rows) button.tabIndex = button === target ? 0 : -1
  }

  #press(event: KeyboardEvent): void {
    const shown = this.#shown.map(({ button }) => button)
    const index = shown.indexOf(event.target as HTMLButtonElement)
    const moves: Record<string, HTMLButtonElement | undefined> = {
      ArrowDown: shown[index + 1],
      ArrowUp: shown[index - 1],
      Home: shown[0],
      End: shown.at(-1),
    }
    if (index < 0 || !(event.key in moves)) return
    event.preventDefault()
    moves[event.key]?.focus()
  }
}

function marked(text: string, matches: readonly Match[]): (Node | string)[] {
  const parts: (Node | string)[] = []
  let at = 0
  for (const [start, end] of matches) {
    parts.push(text.slice(at, start), element('mark', {}, text.slice(start, end)))
    at = end
  }
  return [...parts, text.slice(at)]
}
