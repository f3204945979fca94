import { useLingui } from '@lingui/react/macro'
import { type SubmitEvent, useEffect, useRef, useState } from 'react'
import { useProblemText } from '../../../app/texts/problem-text.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { icons } from '../../../ui/icons.tsx'
import { mediaIcons } from '../../../ui/media-icons.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { useVideo } from '../video-context.tsx'
import { ConflictNotice } from './conflict-notice.tsx'
import styles from './edit.module.css'
import { useEdit, useMergedSave } from './use-edit.ts'

const KEY_LENGTH_MAX = 40
const VALUE_LENGTH_MAX = 500

/** Key-value pairs of the organization's own systems. */
export function MetadataEditor() {
  const { t } = useLingui()
  const { asset, canEdit } = useVideo()
  const [edited, setEdited] = useState<string>()
  const edit = useEdit(() => setEdited(undefined))
  const remove = useMergedSave()
  const open = (key: string) => {
    edit.start()
    setEdited(key)
  }
  const close = () => {
    edit.cancel()
    setEdited(undefined)
  }
  const pairs = Object.entries(asset.metadata)
  return (
    <>
      <dl className={styles.pairs}>
        {pairs.map(([key, value]) => (
          <div key={key} className={styles.pair}>
            <dt>{key}</dt>
            <dd>{value}</dd>
            {canEdit && (
              <dd className={styles.pairActions}>
                <IconButton label={t`Edit ${key}`} icon={mediaIcons.edit} onClick={() => open(key)} />
                <IconButton
                  label={t`Remove ${key}`}
                  icon={icons.trash}
                  onClick={() => remove.mutate(() => ({ metadata: { [key]: null } }))}
                />
              </dd>
            )}
          </div>
        ))}
      </dl>
      {pairs.length === 0 && !canEdit && <p>{t`None`}</p>}
      {edited !== undefined && (
        <PairForm key={edited} name={edited} value={asset.metadata[edited] ?? ''} edit={edit} onClose={close} />
      )}
      {canEdit && edited === undefined && (
        <div>
          <Button size="small" icon={icons.plus} onClick={() => open('')}>
            {t`Add metadata`}
          </Button>
        </div>
      )}
    </>
  )
}

type FormProps = {
  /** Empty for a new pair. */
  readonly name: string
  readonly value: string
  readonly edit: ReturnType<typeof useEdit>
  readonly onClose: () => void
}

function PairForm({ name, value, edit, onClose }: FormProps) {
  const { t } = useLingui()
  const problemText = useProblemText()
  const key = useRef<HTMLInputElement>(null)
  const content = useRef<HTMLInputElement>(null)
  useEffect(() => (key.current ?? content.current)?.focus(), [])
  const submit = (event?: SubmitEvent) => {
    event?.preventDefault()
    const saved = key.current?.value.trim() || name
    if (saved === '') return key.current?.focus()
    edit.save({ metadata: { [saved]: content.current?.value ?? '' } })
  }
  const { conflict, problem } = edit
  return (
    <form
      className={styles.pairForm}
      onSubmit={submit}
      onKeyDown={({ key: pressed }) => pressed === 'Escape' && onClose()}
      noValidate
    >
      {name === '' && (
        <input ref={key} className={styles.input} aria-label={t`Key`} placeholder={t`Key`} maxLength={KEY_LENGTH_MAX} />
      )}
      <input
        ref={content}
        className={styles.input}
        aria-label={name === '' ? t`Value` : t`Value of ${name}`}
        placeholder={t`Value`}
        defaultValue={value}
        maxLength={VALUE_LENGTH_MAX}
      />
      {problem && <Notice kind="error">{problemText(problem)}</Notice>}
      {conflict ? (
        <ConflictNotice theirs={conflict.metadata[name] ?? ''} onKeepMine={() => submit()} onUseTheirs={onClose} />
      ) : (
        <div className={styles.buttons}>
          <Button type="submit" look="primary" size="small" isBusy={edit.isSaving}>
            {t`Save`}
          </Button>
          <Button size="small" onClick={onClose}>
            {t`Cancel`}
          </Button>
        </div>
      )}
    </form>
  )
}
