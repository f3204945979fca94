import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import styles from '../../studio/save/dialogs.module.css'
import { exactTime } from '../../studio/times.ts'
import { useCaptions } from '../captions-context.tsx'
import type { Cue } from '../cues/cue-list.ts'
import type { CueChoice, CueConflict } from './cue-merge.ts'

/** Shows both versions of what two editors have changed differently. Nothing is saved before each is decided. */
export function CueConflictDialog({ conflicts }: { readonly conflicts: readonly CueConflict[] }) {
  const { t } = useLingui()
  const { editor } = useCaptions()
  const [choices, setChoices] = useState<ReadonlyMap<string, CueChoice>>(new Map())
  const choose = (key: string, choice: CueChoice) => setChoices((current) => new Map([...current, [key, choice]]))
  const chooseAll = (choice: CueChoice) => setChoices(new Map(conflicts.map(({ key }) => [key, choice])))
  return (
    <Dialog title={t`Someone else changed the same captions`} isWide onClose={editor.actions.closeConflicts}>
      <p className={styles.text}>{t`Choose which version to keep. All other changes of both of you are combined.`}</p>
      <div className={styles.conflicts}>
        {conflicts.map(({ key, base, mine, theirs }) => (
          <fieldset key={key} className={styles.conflict}>
            <legend>{t`Before: ${base?.text ?? ''}`}</legend>
            {(['mine', 'theirs'] as const).map((side) => (
              <label key={side} className={styles.option}>
                <input type="radio" name={key} checked={choices.get(key) === side} onChange={() => choose(key, side)} />
                <span className={styles.side}>{side === 'mine' ? t`Your version` : t`Their version`}</span>
                <Version cue={side === 'mine' ? mine : theirs} base={base} />
              </label>
            ))}
          </fieldset>
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
          disabled={!conflicts.every(({ key }) => choices.has(key))}
          isBusy={editor.isSaving}
          onClick={() => void editor.decide(choices).catch(() => undefined)}
        >
          {t`Save`}
        </Button>
      </div>
    </Dialog>
  )
}

/** What differs from the last common version is emphasized. */
function Version({ cue, base }: { readonly cue: Cue | undefined; readonly base: Cue | undefined }) {
  const { t } = useLingui()
  if (!cue) return <em>{t`Deleted`}</em>
  const isMoved = cue.startMs !== base?.startMs || cue.endMs !== base?.endMs
  return (
    <>
      <strong data-changed={cue.text !== base?.text || undefined}>{cue.text}</strong>
      {cue.speaker !== '' && (
        <span className={styles.start} data-changed={cue.speaker !== base?.speaker || undefined}>
          {cue.speaker}
        </span>
      )}
      <span className={styles.start} data-changed={isMoved || undefined}>
        {exactTime(cue.startMs)} – {exactTime(cue.endMs)}
      </span>
    </>
  )
}
