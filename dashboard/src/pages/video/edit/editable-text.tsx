import { useLingui } from '@lingui/react/macro'
import { type ComponentProps, type KeyboardEvent, type ReactNode, type SubmitEvent, useEffect, useRef } from 'react'
import { useProblemText } from '../../../app/texts/problem-text.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { mediaIcons } from '../../../ui/media-icons.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { useVideo } from '../video-context.tsx'
import { ConflictNotice } from './conflict-notice.tsx'
import styles from './edit.module.css'
import { useEdit } from './use-edit.ts'

type Field = 'title' | 'description' | 'external_id'

type Props = {
  readonly field: Field
  /** Name of the field, and of the button that starts to edit it. */
  readonly label: string
  readonly editLabel: string
  readonly lengthMax: number
  readonly isMultiline?: boolean
  readonly isRequired?: boolean
  readonly children: ReactNode
}

/** A field of the video as text, with a button that replaces it by a form. Enter saves, Escape cancels. */
export function EditableText({ field, label, editLabel, lengthMax, isMultiline, isRequired, children }: Props) {
  const { asset, canEdit } = useVideo()
  const edit = useEdit()
  const button = useRef<HTMLButtonElement>(null)
  const wasEditing = useRef(false)
  useEffect(() => {
    if (wasEditing.current && !edit.isEditing) button.current?.focus()
    wasEditing.current = edit.isEditing
  }, [edit.isEditing])
  return (
    <>
      {/* Hidden instead of removed: the page keeps its heading, which gets the focus when it is added. */}
      <div className={edit.isEditing ? 'visually-hidden' : styles.view}>
        {children}
        {canEdit && !edit.isEditing && (
          <IconButton ref={button} label={editLabel} icon={mediaIcons.edit} onClick={edit.start} />
        )}
      </div>
      {edit.isEditing && (
        <TextForm
          {...{ field, label, lengthMax, edit }}
          isMultiline={isMultiline ?? false}
          isRequired={isRequired ?? false}
          initial={asset[field] ?? ''}
        />
      )}
    </>
  )
}

type FormProps = {
  readonly field: Field
  readonly label: string
  readonly lengthMax: number
  readonly isMultiline: boolean
  readonly isRequired: boolean
  readonly initial: string
  readonly edit: ReturnType<typeof useEdit>
}

type Input = HTMLInputElement & HTMLTextAreaElement

function TextForm({ field, label, lengthMax, isMultiline, isRequired, initial, edit }: FormProps) {
  const { t } = useLingui()
  const problemText = useProblemText()
  const input = useRef<Input>(null)
  const { conflict, problem } = edit
  useEffect(() => input.current?.select(), [])
  const submit = (event?: SubmitEvent) => {
    event?.preventDefault()
    const text = input.current?.value.trim() ?? ''
    if (isRequired && text === '') return input.current?.focus()
    edit.save({ [field]: field === 'external_id' && text === '' ? null : text })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') edit.cancel()
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit()
  }
  const shared = { ref: input, defaultValue: initial, maxLength: lengthMax, 'aria-label': label, onKeyDown }
  return (
    <form className={styles.form} onSubmit={submit} noValidate data-field={field}>
      <TextInput {...shared} isMultiline={isMultiline} required={isRequired} />
      {problem && <Notice kind="error">{problemText(problem)}</Notice>}
      {conflict && (
        <ConflictNotice theirs={conflict[field] ?? ''} onKeepMine={() => submit()} onUseTheirs={edit.cancel} />
      )}
      {!conflict && (
        <div className={styles.buttons}>
          <Button type="submit" look="primary" size="small" isBusy={edit.isSaving}>
            {t`Save`}
          </Button>
          <Button size="small" onClick={edit.cancel}>
            {t`Cancel`}
          </Button>
        </div>
      )}
    </form>
  )
}

const TextInput = ({
  isMultiline,
  ...rest
}: { isMultiline: boolean } & ComponentProps<'input'> & ComponentProps<'textarea'>) =>
  isMultiline ? <textarea {...rest} className={styles.input} rows={6} /> : <input {...rest} className={styles.input} />
