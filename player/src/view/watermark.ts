/** Overlays a faint text that changes its position regularly, so that it cannot be cropped away. */
import { element } from './dom.ts'

const MOVE_MILLISECONDS = 9000

export type Watermark = ReturnType<typeof openWatermark>

export function openWatermark(signal: AbortSignal) {
  const node = element('div', { class: 'watermark', 'aria-hidden': 'true', hidden: true })
  let timer: ReturnType<typeof setInterval> | undefined
  signal.addEventListener('abort', () => clearInterval(timer))

  function move(): void {
    const [across, down] = [0.04 + Math.random() * 0.92, 0.06 + Math.random() * 0.8]
    node.style.left = `${100 * across}%`
    node.style.top = `${100 * down}%`
    node.style.transform = `translate(-${100 * across}%, -${100 * down}%)`
  }

  return {
    node,
    show(text: string | null): void {
      clearInterval(timer)
      node.hidden = text === null
      node.textContent = text
      if (text === null) return
      move()
      timer = setInterval(move, MOVE_MILLISECONDS)
    },
  }
}
