import { useLingui } from '@lingui/react/macro'
import type { ReactNode, SubmitEvent } from 'react'
import { useProblemText } from '../../../app/texts/problem-text.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Notice } from '../../../ui/notice.tsx'
import styles from './parts.module.css'

type Props = {
  readonly title: string
  readonly submitLabel: string
  readonly isDanger?: boolean
  readonly isBusy: boolean
  readonly error: unknown
  readonly onSubmit: (values: FormData) => void
  readonly onClose: () => void
  readonly children: ReactNode
}

/** A dialog with a form. It shows why the request failed and keeps what was entered. */
export function FormDialog({ title, submitLabel, isDanger, isBusy, error, onSubmit, onClose, children }: Props) {
  const { t } = useLingui()
  const problemText = useProblemText()
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!isBusy) onSubmit(new FormData(event.currentTarget))
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form className={styles.form} onSubmit={submit}>
        {Boolean(error) && <Notice kind="error">{problemText(error)}</Notice>}
        {children}
        <div className={styles.buttons}>
          <Button onClick={onClose}>{t`Cancel`}</Button>
          <Button type="submit" look={isDanger ? 'danger' : 'primary'} isBusy={isBusy}>
            {submitLabel}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
