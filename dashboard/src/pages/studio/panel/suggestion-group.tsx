import { useLingui } from '@lingui/react/macro'
import { type ReactNode, useId } from 'react'
import { Button, IconButton } from '../../../ui/button.tsx'
import { icons } from '../../../ui/icons.tsx'
import type { ChapterValues } from '../chapters/chapter-edits.ts'
import type { Commands } from '../studio-commands.ts'
import { useStudio } from '../studio-context.tsx'
import { exactTime } from '../times.ts'
import styles from './panel.module.css'

type Props = {
  readonly title: string
  readonly suggestions: readonly ChapterValues[]
  /** In place of the list. */
  readonly empty: string
  readonly commands: Commands
  /** Settings of the group. */
  readonly children?: ReactNode
}

/** Suggestions from one source. Each can be played and accepted. */
export function SuggestionGroup({ title, suggestions, empty, commands, children }: Props) {
  const { t } = useLingui()
  const { playhead } = useStudio()
  const id = useId()
  return (
    <section className={styles.group} aria-labelledby={id}>
      <div className={styles.groupHead}>
        <h2 id={id}>{title}</h2>
        {children}
        {suggestions.length > 0 && (
          <Button size="small" aria-describedby={id} onClick={() => commands.add(suggestions)}>
            {t`Add all (${suggestions.length})`}
          </Button>
        )}
      </div>
      {suggestions.length === 0 && <p className={styles.hint}>{empty}</p>}
      <ul>
        {suggestions.map((suggestion) => {
          const start = exactTime(suggestion.startMs)
          return (
            <li key={suggestion.startMs} className={styles.row}>
              <button
                type="button"
                className={styles.jump}
                aria-label={t`Go to ${start}: ${suggestion.title}`}
                onClick={() => playhead.seek(suggestion.startMs)}
              >
                {start}
              </button>
              <span className={styles.suggestion}>{suggestion.title}</span>
              <IconButton
                label={t`Add ${suggestion.title} at ${start}`}
                icon={icons.plus}
                onClick={() => commands.add([suggestion])}
              />
            </li>
          )
        })}
      </ul>
    </section>
  )
}
