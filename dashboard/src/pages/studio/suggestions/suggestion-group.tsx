import { useLingui } from '@lingui/react/macro'
import { type ReactNode, useId } from 'react'
import { Button } from '../../../ui/button.tsx'
import styles from '../panel/panel.module.css'
import { useStudio } from '../studio-context.tsx'
import type { SuggestionCommands } from './suggestion-commands.ts'
import type { Suggestion } from './suggestion-list.ts'
import { SuggestionRow } from './suggestion-row.tsx'

type Props = {
  readonly title: string
  readonly suggestions: readonly Suggestion[]
  /** In place of the list. */
  readonly empty: string
  readonly commands: SuggestionCommands
  /** Settings of the group. */
  readonly children?: ReactNode
}

/** Suggestions from one source. Each can be played, renamed and accepted. */
export function SuggestionGroup({ title, suggestions, empty, commands, children }: Props) {
  const { t } = useLingui()
  const { selected } = useStudio().suggestions
  const id = useId()
  return (
    <section className={styles.group} aria-labelledby={id}>
      <div className={styles.groupHead}>
        <h2 id={id}>{title}</h2>
        {children}
        {suggestions.length > 0 && (
          <Button size="small" aria-describedby={id} onClick={() => commands.acceptAll(suggestions)}>
            {t`Add all (${suggestions.length})`}
          </Button>
        )}
      </div>
      {suggestions.length === 0 && <p className={styles.hint}>{empty}</p>}
      <ul>
        {suggestions.map((suggestion) => (
          <SuggestionRow
            key={suggestion.key}
            suggestion={suggestion}
            isSelected={suggestion.key === selected}
            commands={commands}
          />
        ))}
      </ul>
    </section>
  )
}
