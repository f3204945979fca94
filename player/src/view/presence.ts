/** The controls are there while somebody is; a film without anybody's hand on it is left alone. */
import type { Deck } from '../deck.ts'

const IDLE_MILLISECONDS = 2800
const DOUBLE_MILLISECONDS = 300
const LEAP_SECONDS = 10

export function watchPresence(deck: Deck, surface: HTMLElement, isBusy: () => boolean) {
  const { frame, video } = deck
  let timer: ReturnType<typeof setTimeout> | undefined
  let lastTap = 0

  function rest(): void {
    if (!video.paused && !isBusy()) frame.classList.add('idle')
  }

  function wake(): void {
    frame.classList.remove('idle')
    clearTimeout(timer)
    timer = setTimeout(rest, IDLE_MILLISECONDS)
  }

  /** A finger first finds the controls, and pressed twice at a side leaps. */
  function tap(event: MouseEvent): void {
    const isDouble = event.timeStamp - lastTap < DOUBLE_MILLISECONDS
    lastTap = event.timeStamp
    const { left, width } = frame.getBoundingClientRect()
    const at = (event.clientX - left) / width
    if (isDouble && (at < 1 / 3 || at > 2 / 3)) deck.skip(at < 0.5 ? -LEAP_SECONDS : LEAP_SECONDS)
    else if (frame.classList.contains('idle')) wake()
    else rest()
  }

  surface.addEventListener('click', (event) => {
    frame.focus({ preventScroll: true })
    const isFinger = (event as PointerEvent).pointerType === 'touch'
    if (!isFinger || video.paused) deck.toggle()
    else tap(event)
  })
  surface.addEventListener('dblclick', (event) => {
    if ((event as unknown as PointerEvent).pointerType === 'touch') return
    void deck.toggleFull().catch(() => undefined)
  })
  frame.addEventListener('pointermove', (event) => event.pointerType !== 'touch' && wake())
  frame.addEventListener('pointerleave', (event) => event.pointerType !== 'touch' && rest())
  frame.addEventListener('keydown', wake)
  frame.addEventListener('focusin', wake)
  for (const event of ['play', 'pause', 'seeked']) video.addEventListener(event, wake)
  return { wake }
}
