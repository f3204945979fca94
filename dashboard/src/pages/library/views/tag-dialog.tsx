import { useLingui } from '@lingui/react/macro'
import { type FormEvent, useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { TextField } from '../../../ui/forms/text-field.tsx'
import { tagsIn } from '../actions/asset-target.ts'
import styles from '../actions/dialogs.module.css'

type Props = {
  readonly title: string
  readonly onClose: () => void
  readonly onSave: (tags: readonly string[]) => void
}

export function TagDialog({ title, onClose, onSave }: Props) {
  const { t } = useLingui()
  const [text, setText] = useState('')
  const [error, setError] = useState<string>()
  const save = (event: FormEvent) => {
    event.preventDefault()
    const tags = tagsIn(text)
    if (tags.length === 0) setError(t`Enter at least one tag.`)
    else onSave(tags)
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form className={styles.form} onSubmit={save} noValidate>
        <TextField
          label={t`Tags`}
          hint={t`Separate several tags with commas.`}
          value={text}
          autoFocus
          autoComplete="off"
          onChange={(event) => setText(event.target.value)}
          error={error}
        />
        <div className={styles.buttons}>
          <Button onClick={onClose}>{t`Cancel`}</Button>
          <Button look="primary" type="submit">
            {t`Add tags`}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
