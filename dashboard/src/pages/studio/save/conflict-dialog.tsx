import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import type { ChapterValues } from '../chapters/chapter-edits.ts'
import { useStudio } from '../studio-context.tsx'
import { exactTime } from '../times.ts'
import type { Choice, Conflict } from './chapter-merge.ts'
import styles from './dialogs.module.css'
import type { PendingMerge } from './editor-state.ts'

/** Shows both versions of what two editors have changed differently. Nothing is saved before each is decided. */
export function ConflictDialog({ pending: { merge } }: { readonly pending: PendingMerge }) {
  const { t } = useLingui()
  const { editor } = useStudio()
  const [choices, setChoices] = useState<ReadonlyMap<string, Choice>>(new Map())
  const { conflicts } = merge
  const choose = (key: string, choice: Choice) => setChoices((current) => new Map([...current, [key, choice]]))
  const chooseAll = (choice: Choice) => setChoices(new Map(conflicts.map(({ key }) => [key, choice])))
  const isDecided = conflicts.every(({ key }) => choices.has(key))
  return (
    <Dialog title={t`Someone else changed the same chapters`} isWide onClose={editor.actions.closeConflicts}>
      <p className={styles.text}>{t`Choose which version to keep. All other changes of both of you are combined.`}</p>
      <div className={styles.conflicts}>
        {conflicts.map((conflict) => (
          <ConflictChoice
            key={conflict.key}
            conflict={conflict}
            choice={choices.get(conflict.key)}
            onChoose={(choice) => choose(conflict.key, choice)}
          />
        ))}
      </div>
      <div className={styles.buttons}>
        {conflicts.length > 1 && (
          <>
            <Button look="quiet" onClick={() => chooseAll('mine')}>{t`All mine`}</Button>
            <Button look="quiet" onClick={() => chooseAll('theirs')}>{t`All theirs`}</Button>
          </>
        )}
        <Button
          look="primary"
          disabled={!isDecided}
          isBusy={editor.isSaving}
          onClick={() => void editor.decide(choices).catch(() => undefined)}
        >
          {t`Save`}
        </Button>
      </div>
    </Dialog>
  )
}

type ChoiceProps = {
  readonly conflict: Conflict
  readonly choice: Choice | undefined
  readonly onChoose: (choice: Choice) => void
}

function ConflictChoice({ conflict, choice, onChoose }: ChoiceProps) {
  const { t } = useLingui()
  const { key, kind, base, mine, theirs } = conflict
  const option = (value: Choice, label: string, chapter: ChapterValues | undefined) => (
    <label className={styles.option}>
      <input type="radio" name={key} checked={choice === value} onChange={() => onChoose(value)} />
      <span className={styles.side}>{label}</span>
      {chapter ? <Version chapter={chapter} base={base} /> : <em>{t`Deleted`}</em>}
    </label>
  )
  const time = mine && exactTime(mine.startMs)
  return (
    <fieldset className={styles.conflict}>
      <legend>{kind === 'same-start' ? t`Two chapters start at ${time}` : t`Before: ${base?.title ?? ''}`}</legend>
      {option('mine', t`Your version`, mine)}
      {option('theirs', t`Their version`, theirs)}
      {kind === 'same-start' && (
        <label className={styles.option} data-wide>
          <input type="radio" name={key} checked={choice === 'both'} onChange={() => onChoose('both')} />
          <span className={styles.side}>{t`Keep both: yours starts one frame later`}</span>
        </label>
      )}
    </fieldset>
  )
}

/** What differs from the last common state is emphasized. */
const Version = ({ chapter, base }: { readonly chapter: ChapterValues; readonly base: ChapterValues | undefined }) => (
  <>
    <strong data-changed={chapter.title !== base?.title || undefined}>{chapter.title}</strong>
    <span className={styles.start} data-changed={chapter.startMs !== base?.startMs || undefined}>
      {exactTime(chapter.startMs)}
    </span>
  </>
)
