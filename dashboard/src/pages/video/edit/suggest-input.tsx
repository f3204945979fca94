import { type KeyboardEvent, useId, useState } from 'react'
import styles from './edit.module.css'

type Props = {
  readonly label: string
  readonly lengthMax: number
  readonly suggest: (text: string) => readonly string[]
  /** Called with a suggestion, or with any other text. */
  readonly onAdd: (text: string) => void
}

/**
 * A field for new entries with suggestions (the ARIA pattern combobox). Arrow keys choose a suggestion, Enter adds it or
 * the text as it is, Escape closes the list.
 */
export function SuggestInput({ label, lengthMax, suggest, onAdd }: Props) {
  const id = useId()
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [current, setCurrent] = useState(-1)
  const suggestions = suggest(text)
  const isShown = isOpen && suggestions.length > 0
  const close = () => {
    setOpen(false)
    setCurrent(-1)
  }
  const add = (added: string) => {
    setText('')
    close()
    if (added.trim() !== '') onAdd(added.trim())
  }
  const step = (by: number) => {
    const count = suggestions.length
    setCurrent(isShown ? (current + by + count) % count : 0)
    setOpen(true)
  }
  const actions = new Map([
    ['ArrowDown', () => step(1)],
    ['ArrowUp', () => step(current < 0 ? 0 : -1)],
    ['Enter', () => add((isShown && suggestions[current]) || text)],
    ['Escape', close],
  ])
  const onKeyDown = (event: KeyboardEvent) => {
    const action = actions.get(event.key)
    if (!action) return
    event.preventDefault()
    action()
  }
  return (
    <div className={styles.suggest}>
      <input
        className={styles.tagInput}
        role="combobox"
        aria-label={label}
        aria-autocomplete="list"
        aria-expanded={isShown}
        aria-controls={`${id}-list`}
        aria-activedescendant={isShown && current >= 0 ? `${id}-${current}` : undefined}
        placeholder={label}
        maxLength={lengthMax}
        value={text}
        onChange={({ target }) => {
          setText(target.value)
          setCurrent(-1)
          setOpen(true)
        }}
        onKeyDown={onKeyDown}
        onBlur={close}
      />
      <Suggestions {...{ id, label, current, suggestions, isShown }} onChoose={add} />
    </div>
  )
}

type ListProps = {
  readonly id: string
  readonly label: string
  readonly current: number
  readonly suggestions: readonly string[]
  readonly isShown: boolean
  readonly onChoose: (text: string) => void
}

const Suggestions = ({ id, label, current, suggestions, isShown, onChoose }: ListProps) => (
  <div id={`${id}-list`} className={styles.popover} role="listbox" aria-label={label} hidden={!isShown}>
    {suggestions.map((suggestion, index) => (
      // biome-ignore lint/a11y/useKeyWithClickEvents: The field handles the keys.
      <div
        key={suggestion}
        id={`${id}-${index}`}
        className={styles.option}
        role="option"
        tabIndex={-1}
        aria-selected={index === current}
        // The field keeps the focus, which would otherwise close the list before the click.
        onPointerDown={(event) => event.preventDefault()}
        onClick={() => onChoose(suggestion)}
      >
        {suggestion}
      </div>
    ))}
  </div>
)
