/** Hides the controls during playback when the viewer is idle, and handles clicks and taps on the video. */
import type { PlayerState } from '../player-state.ts'

const IDLE_MILLISECONDS = 2800
const DOUBLE_TAP_MILLISECONDS = 300
const JUMP_SECONDS = 10

export function autoHideControls(player: PlayerState, surface: HTMLElement, isBusy: () => boolean) {
  const { frame, video } = player
  let timer: ReturnType<typeof setTimeout> | undefined
  let lastTap = 0

  function hide(): void {
    if (!video.paused && !isBusy()) frame.classList.add('idle')
  }

  function show(): void {
    frame.classList.remove('idle')
    clearTimeout(timer)
    timer = setTimeout(hide, IDLE_MILLISECONDS)
  }

  /** A tap shows or hides the controls; a double tap on the left or right third seeks backward or forward. */
  function tap(event: MouseEvent): void {
    const isDouble = event.timeStamp - lastTap < DOUBLE_TAP_MILLISECONDS
    lastTap = event.timeStamp
    const { left, width } = frame.getBoundingClientRect()
    const x = (event.clientX - left) / width
    if (isDouble && (x < 1 / 3 || x > 2 / 3)) player.skip(x < 0.5 ? -JUMP_SECONDS : JUMP_SECONDS)
    else if (frame.classList.contains('idle')) show()
    else hide()
  }

  surface.addEventListener('click', (event) => {
    frame.focus({ preventScroll: true })
    const isTouch = (event as PointerEvent).pointerType === 'touch'
    if (!isTouch || video.paused) player.toggle()
    else tap(event)
  })
  surface.addEventListener('dblclick', (event) => {
    if ((event as unknown as PointerEvent).pointerType === 'touch') return
    void player.toggleFull().catch(() => undefined)
  })
  frame.addEventListener('pointermove', (event) => event.pointerType !== 'touch' && show())
  frame.addEventListener('pointerleave', (event) => event.pointerType !== 'touch' && hide())
  frame.addEventListener('keydown', show)
  frame.addEventListener('focusin', show)
  for (const event of ['play', 'pause', 'seeked']) video.addEventListener(event, show)
  return { show }
}
