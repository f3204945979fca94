import { type KeyboardEvent, useRef, useState } from 'react'
import { exactTime } from '../../studio/times.ts'
import { parseTime } from '../formats/cue-times.ts'
import styles from './cue-panel.module.css'

type Props = {
  readonly label: string
  readonly ms: number
  readonly onTime: (ms: number) => void
  /** Arrow keys move the time by frames, ten with Shift. */
  readonly onNudge: (frames: number) => void
}

const SHIFT_FRAMES = 10

/** A time as text. It is used when the field is left; what is not a time is dropped. */
export function TimeInput({ label, ms, onTime, onNudge }: Props) {
  const [typed, setTyped] = useState<string>()
  const isCancelled = useRef(false)
  const commit = () => {
    const time = typed === undefined || isCancelled.current ? undefined : parseTime(typed)
    isCancelled.current = false
    setTyped(undefined)
    if (time !== undefined && time !== ms) onTime(time)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const direction = { ArrowUp: 1, ArrowDown: -1 }[event.key]
    if (direction !== undefined && !event.altKey) {
      event.preventDefault()
      setTyped(undefined)
      onNudge(event.shiftKey ? SHIFT_FRAMES * direction : direction)
    } else if (event.key === 'Enter') commit()
    // The row takes the focus, so the field is left without using the time.
    else if (event.key === 'Escape') isCancelled.current = true
  }
  return (
    <input
      className={styles.time}
      aria-label={label}
      inputMode="decimal"
      autoComplete="off"
      value={typed ?? exactTime(ms)}
      onChange={({ target }) => setTyped(target.value)}
      onKeyDown={onKeyDown}
      onBlur={commit}
    />
  )
}
