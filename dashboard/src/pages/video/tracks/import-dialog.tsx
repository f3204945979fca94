import { useLingui } from '@lingui/react/macro'
import { useMutation } from '@tanstack/react-query'
import { type SubmitEvent, useId, useRef } from 'react'
import type { ImportChaptersBody } from 'reelkeep'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { useProblemText } from '../../../app/texts/problem-text.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { useVideo } from '../video-context.tsx'
import { useTracksChanged } from './track-data.ts'
import styles from './tracks.module.css'

/** The format of a list of chapters, from its beginning. */
function formatOf(text: string): ImportChaptersBody['format'] {
  if (text.startsWith('WEBVTT')) return 'webvtt'
  if (text.startsWith('{')) return 'podcasting'
  return text.startsWith(';FFMETADATA') ? 'ffmetadata' : 'lines'
}

/** Adds chapters from a text, such as a list in the description of another platform. */
export function ImportDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useLingui()
  const { client } = useOrganization()
  const { asset } = useVideo()
  const problemText = useProblemText()
  const changed = useTracksChanged()
  const id = useId()
  const text = useRef<HTMLTextAreaElement>(null)
  const replace = useRef<HTMLInputElement>(null)
  const add = useMutation({
    mutationFn: (content: string) =>
      client.chapters.import(asset.id, {
        ...{ format: formatOf(content), text: content, replace: replace.current?.checked ?? false },
      }),
    onSuccess: () => {
      changed()
      onClose()
    },
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const content = text.current?.value.trim() ?? ''
    if (content === '') text.current?.focus()
    else add.mutate(content)
  }
  return (
    <Dialog title={t`Import chapters`} onClose={onClose}>
      <form className={styles.form} onSubmit={submit}>
        <label htmlFor={id}>{t`One chapter per line, or the content of a WebVTT, JSON or ffmpeg file`}</label>
        <textarea ref={text} id={id} className={styles.input} rows={8} placeholder={'0:00 Welcome\n1:30 Interview'} />
        <label className={styles.check}>
          <input ref={replace} type="checkbox" />
          {t`Replace the existing chapters`}
        </label>
        {add.error && <Notice kind="error">{problemText(add.error)}</Notice>}
        <Button type="submit" look="primary" size="large" isBusy={add.isPending}>
          {t`Import`}
        </Button>
      </form>
    </Dialog>
  )
}
