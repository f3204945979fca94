import { useLingui } from '@lingui/react/macro'
import { useMutation } from '@tanstack/react-query'
import { type SubmitEvent, useId, useRef, useState } from 'react'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { useProblemText } from '../../../app/texts/problem-text.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { SelectField } from '../../../ui/forms/select-field.tsx'
import { TextField } from '../../../ui/forms/text-field.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { useVideo } from '../video-context.tsx'
import { useTracksChanged } from './track-data.ts'
import styles from './tracks.module.css'

const LABEL_LENGTH_MAX = 255
const languageTags = [
  ...['ar', 'cs', 'da', 'de', 'el', 'en', 'es', 'fi', 'fr', 'hi', 'hu', 'id', 'it', 'ja', 'ko', 'nb', 'nl', 'pl'],
  ...['pt', 'pt-BR', 'ro', 'ru', 'sv', 'tr', 'uk', 'vi', 'zh'],
]

/** Adds a WebVTT or SRT file as a caption track. */
export function CaptionsDialog({ onClose }: { readonly onClose: () => void }) {
  const { t, i18n } = useLingui()
  const problemText = useProblemText()
  const id = useId()
  const form = useRef<HTMLFormElement>(null)
  const [isMissing, setMissing] = useState(false)
  const add = useAdd(onClose)
  const names = new Intl.DisplayNames(i18n.locale, { type: 'language' })
  const languages = languageTags
    .map((value) => ({ value, label: names.of(value) ?? value }))
    .sort((one, other) => one.label.localeCompare(other.label, i18n.locale))
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const data = new FormData(form.current ?? undefined)
    const file = data.get('file')
    const isChosen = file instanceof File && file.size > 0
    setMissing(!isChosen)
    if (isChosen) add.mutate({ file, language: String(data.get('language')), label: String(data.get('label')).trim() })
  }
  return (
    <Dialog title={t`Add captions`} onClose={onClose}>
      <form ref={form} className={styles.form} onSubmit={submit} noValidate>
        <label htmlFor={id}>{t`File (WebVTT or SRT)`}</label>
        <input id={id} className={styles.input} type="file" name="file" accept=".vtt,.srt,text/vtt" />
        {isMissing && <Notice kind="error">{t`Choose a file.`}</Notice>}
        <SelectField label={t`Language`} name="language" defaultValue={i18n.locale} options={languages} />
        <TextField
          label={t`Name (optional)`}
          hint={t`Viewers see it in the menu of the player.`}
          name="label"
          maxLength={LABEL_LENGTH_MAX}
          autoComplete="off"
        />
        {add.error && <Notice kind="error">{problemText(add.error)}</Notice>}
        <Button type="submit" look="primary" size="large" isBusy={add.isPending}>
          {t`Add captions`}
        </Button>
      </form>
    </Dialog>
  )
}

type Added = { readonly file: File; readonly language: string; readonly label: string }

function useAdd(onAdded: () => void) {
  const { client } = useOrganization()
  const { asset } = useVideo()
  const changed = useTracksChanged()
  return useMutation({
    mutationFn: async ({ file, language, label }: Added) =>
      client.subtitles.add(asset.id, { language, content: await file.text(), ...(label && { label }) }),
    onSuccess: () => {
      changed()
      onAdded()
    },
  })
}
