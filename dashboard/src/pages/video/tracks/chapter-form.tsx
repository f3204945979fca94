import { useLingui } from '@lingui/react/macro'
import { useMutation } from '@tanstack/react-query'
import { type SubmitEvent, useEffect, useRef, useState } from 'react'
import type { Chapter } from 'reelkeep'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { useProblemText } from '../../../app/texts/problem-text.ts'
import { Button } from '../../../ui/button.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { clock } from '../../library/assets/formats.ts'
import { parseClock, startTime } from '../formats.ts'
import { useVideo } from '../video-context.tsx'
import { useTracksChanged, useTrimmedStart } from './track-data.ts'
import styles from './tracks.module.css'

const TITLE_LENGTH_MAX = 255

type Props = {
  /** Undefined for a new one, which starts at the position of the player. */
  readonly chapter?: Chapter
  readonly onClose: () => void
}

export function ChapterForm({ chapter, onClose }: Props) {
  const { t } = useLingui()
  const problemText = useProblemText()
  const { player } = useVideo()
  const form = useRef<HTMLFormElement>(null)
  const title = useRef<HTMLInputElement>(null)
  const start = useRef<HTMLInputElement>(null)
  const [isInvalid, setInvalid] = useState(false)
  const save = useSaveChapter(chapter, onClose)
  useEffect(() => title.current?.select(), [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: A message makes the form higher.
  useEffect(() => {
    // Chromium returns a promise, which would be called as the cleanup of the effect.
    void form.current?.scrollIntoView({ block: 'nearest' })
  }, [isInvalid, save.error])
  const before = useTrimmedStart()
  const [initial] = useState(() => {
    const start = chapter ? (parseClock(chapter.start_time) ?? 0) - before : (player.current?.currentTime ?? 0)
    return clock(start)
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const seconds = parseClock(start.current?.value ?? '')
    const text = title.current?.value.trim() ?? ''
    setInvalid(seconds === undefined)
    if (text === '') title.current?.focus()
    else if (seconds === undefined) start.current?.focus()
    else if (before === 0) save.mutate({ title: text, start_time: startTime(seconds) })
    else save.mutate({ title: text, start_seconds: seconds + before })
  }
  return (
    <form
      ref={form}
      className={styles.form}
      onSubmit={submit}
      onKeyDown={({ key }) => key === 'Escape' && onClose()}
      noValidate
    >
      <div className={styles.inputs}>
        <input
          ref={start}
          className={styles.input}
          aria-label={t`Start`}
          aria-invalid={isInvalid}
          defaultValue={initial}
        />
        <input
          ref={title}
          className={styles.input}
          aria-label={t`Title of the chapter`}
          placeholder={t`Title of the chapter`}
          defaultValue={chapter?.title}
          maxLength={TITLE_LENGTH_MAX}
        />
      </div>
      {isInvalid && <Notice kind="error">{t`Enter the start as minutes and seconds, for example 1:30.`}</Notice>}
      {save.error && <Notice kind="error">{problemText(save.error)}</Notice>}
      <div className={styles.buttons}>
        <Button type="submit" look="primary" size="small" isBusy={save.isPending}>
          {chapter ? t`Save` : t`Add`}
        </Button>
        <Button size="small" onClick={onClose}>
          {t`Cancel`}
        </Button>
      </div>
    </form>
  )
}

function useSaveChapter(chapter: Chapter | undefined, onSaved: () => void) {
  const { client } = useOrganization()
  const { asset } = useVideo()
  const changed = useTracksChanged()
  return useMutation({
    mutationFn: async (body: { title: string; start_time: string } | { title: string; start_seconds: number }) => {
      if (chapter) await client.chapters.edit(asset.id, chapter.id, body)
      else await client.chapters.add(asset.id, { chapters: [body] })
    },
    onSuccess: () => {
      changed()
      onSaved()
    },
  })
}
