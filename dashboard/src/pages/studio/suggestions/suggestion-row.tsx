import { useLingui } from '@lingui/react/macro'
import { type KeyboardEvent, useRef } from 'react'
import { IconButton } from '../../../ui/button.tsx'
import { icons } from '../../../ui/icons.tsx'
import { TITLE_LENGTH_MAX } from '../chapters/chapter-edits.ts'
import styles from '../panel/panel.module.css'
import { useStudio } from '../studio-context.tsx'
import { exactTime } from '../times.ts'
import type { SuggestionCommands } from './suggestion-commands.ts'
import type { Suggestion } from './suggestion-list.ts'

type Props = {
  readonly suggestion: Suggestion
  readonly isSelected: boolean
  readonly commands: SuggestionCommands
}

/** A suggestion with its title, which can be edited before it becomes a chapter. */
export function SuggestionRow({ suggestion, isSelected, commands }: Props) {
  const { t } = useLingui()
  const { suggestions } = useStudio()
  const row = useRef<HTMLLIElement>(null)
  const { key, title, startMs } = suggestion
  const start = exactTime(startMs)
  /** The row disappears, and the same control of a neighbor gets the focus. */
  const accept = (control: 'input' | '[data-accept]') => {
    const neighbor = row.current?.nextElementSibling ?? row.current?.previousElementSibling
    neighbor?.querySelector<HTMLElement>(control)?.focus()
    commands.accept(suggestion)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    accept('input')
  }
  return (
    <li ref={row} className={styles.row} aria-current={isSelected || undefined} onFocus={() => suggestions.select(key)}>
      <button
        type="button"
        className={styles.jump}
        aria-label={t`Go to ${start}: ${title}`}
        onClick={() => commands.show(suggestion)}
      >
        {start}
      </button>
      <input
        className={styles.title}
        aria-label={t`Title of the suggestion at ${start}`}
        maxLength={TITLE_LENGTH_MAX}
        value={title}
        onChange={({ target }) => suggestions.rename(suggestion, target.value)}
        onKeyDown={onKeyDown}
      />
      <IconButton
        label={t`Add ${title} at ${start}`}
        icon={icons.plus}
        data-accept
        onClick={() => accept('[data-accept]')}
      />
    </li>
  )
}
