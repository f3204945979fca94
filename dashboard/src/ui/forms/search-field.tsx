import { type RefObject, useEffect, useRef, useState } from 'react'
import { icons } from '../icons.tsx'
import styles from './search-field.module.css'

/** Time after the last key until the search starts. */
const TYPING_MILLISECONDS = 250

type Props = {
  readonly label: string
  /** The text that was searched last; it may change elsewhere, for example by "back". */
  readonly value: string
  readonly field: RefObject<HTMLInputElement | null>
  /** Called with the trimmed text after a pause in typing, or at once with Enter. */
  readonly onSearch: (text: string) => void
  readonly size?: 'large'
}

/** A search text that is searched while it is typed. Escape clears it. */
export function SearchField({ label, value, field, onSearch, size }: Props) {
  const [text, setText] = useState(value)
  const sent = useRef(value)
  useEffect(() => {
    if (value !== sent.current) setText(value)
    sent.current = value
  }, [value])
  const submit = (given: string) => {
    const term = given.trim()
    if (term === sent.current) return
    sent.current = term
    onSearch(term)
  }
  const latest = useRef(submit)
  latest.current = submit
  useEffect(() => {
    const timer = setTimeout(() => latest.current(text), TYPING_MILLISECONDS)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <label className={styles.search} data-size={size}>
      {icons.search}
      <input
        ref={field}
        type="search"
        aria-label={label}
        placeholder={label}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') submit(text)
          if (event.key === 'Escape') setText('')
        }}
      />
      <kbd>/</kbd>
    </label>
  )
}
