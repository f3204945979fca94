import { useLingui } from '@lingui/react/macro'
import { type SubmitEvent, useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { CheckField } from '../../../ui/forms/check-field.tsx'
import { TextField } from '../../../ui/forms/text-field.tsx'
import dialogs from '../../studio/save/dialogs.module.css'
import { exactTime } from '../../studio/times.ts'
import styles from '../captions.module.css'
import { useCaptions } from '../captions-context.tsx'
import { shiftedCues } from '../cues/cue-list.ts'
import { parseSeconds } from '../formats/cue-times.ts'

/** Moves all captions, or those from the selected one on, by a number of seconds. */
export function ShiftDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useLingui()
  const { editor } = useCaptions()
  const { selected, actions } = editor
  const [text, setText] = useState('')
  const [isFromSelected, setFromSelected] = useState(false)
  const [isChecked, setChecked] = useState(false)
  const byMs = parseSeconds(text)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    setChecked(true)
    if (byMs === undefined) return
    actions.change((cues) => shiftedCues(cues, byMs, isFromSelected ? selected?.key : undefined))
    onClose()
  }
  return (
    <Dialog title={t`Shift the times`} onClose={onClose}>
      <form className={styles.form} onSubmit={submit} noValidate>
        <TextField
          label={t`Seconds`}
          hint={t`For example 1.5 for later, or -0.25 for earlier. No caption starts before the video.`}
          error={isChecked && byMs === undefined ? t`Write a number of seconds, such as -0.25.` : undefined}
          inputMode="text"
          autoComplete="off"
          autoFocus
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        {selected && (
          <CheckField
            label={t`Only from ${exactTime(selected.startMs)} on`}
            checked={isFromSelected}
            onChange={({ target }) => setFromSelected(target.checked)}
          />
        )}
        <div className={dialogs.buttons}>
          <Button look="quiet" onClick={onClose}>{t`Cancel`}</Button>
          <Button type="submit" look="primary">{t`Shift`}</Button>
        </div>
      </form>
    </Dialog>
  )
}
