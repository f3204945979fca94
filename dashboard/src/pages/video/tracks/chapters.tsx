import { useLingui } from '@lingui/react/macro'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import type { Chapter } from 'reelkeep'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { useProblemToast } from '../../../app/toasts.tsx'
import { Button, buttonClass, IconButton } from '../../../ui/button.tsx'
import { icons } from '../../../ui/icons.tsx'
import { mediaIcons } from '../../../ui/media-icons.tsx'
import { clock } from '../../library/assets/formats.ts'
import { useVideo } from '../video-context.tsx'
import { ChapterForm } from './chapter-form.tsx'
import { saveFile } from './save-file.ts'
import { useChapters, useTracksChanged, useTrimmedStart } from './track-data.ts'
import styles from './tracks.module.css'

const ImportDialog = lazy(async () => ({ default: (await import('./import-dialog.tsx')).ImportDialog }))
/** Chapters in the order of their start. A click plays from there. */
export function Chapters() {
  const { t } = useLingui()
  const { canEdit } = useVideo()
  const { data: chapters = [] } = useChapters()
  const [edited, setEdited] = useState<number | 'new'>()
  const close = () => setEdited(undefined)
  const { panel, focusOn } = useReturnedFocus(edited)
  return (
    <div ref={panel} className={styles.panel}>
      {chapters.length === 0 && edited !== 'new' && <NoChapters />}
      {chapters.length > 0 && (
        <ol className={styles.list} aria-label={t`Chapters`}>
          {chapters.map((chapter) => (
            <li key={chapter.id}>
              {edited === chapter.id ? (
                <ChapterForm chapter={chapter} onClose={close} />
              ) : (
                <ChapterRow chapter={chapter} onEdit={() => setEdited(chapter.id)} onDeleted={() => focusOn('new')} />
              )}
            </li>
          ))}
        </ol>
      )}
      {edited === 'new' && <ChapterForm onClose={close} />}
      <ChapterActions isEmpty={chapters.length === 0} {...(canEdit && { onAdd: () => setEdited('new') })} />
    </div>
  )
}

/** When a form closes, the focus returns to the button that opened it (`data-opens`). */
function useReturnedFocus(edited: number | 'new' | undefined) {
  const panel = useRef<HTMLDivElement>(null)
  const last = useRef(edited)
  const focusOn = (form: number | 'new') => panel.current?.querySelector<HTMLElement>(`[data-opens="${form}"]`)?.focus()
  useEffect(() => {
    if (edited === undefined && last.current !== undefined) focusOn(last.current)
    last.current = edited
  })
  return { panel, focusOn }
}

function NoChapters() {
  const { t } = useLingui()
  const { asset, canEdit } = useVideo()
  return (
    <p className={styles.empty}>
      {canEdit && asset.video.playback_url !== null
        ? t`No chapters yet. Pause the player where a chapter starts, then add it.`
        : t`This video has no chapters.`}
    </p>
  )
}

type RowProps = { readonly chapter: Chapter; readonly onEdit: () => void; readonly onDeleted: () => void }

function ChapterRow({ chapter, onEdit, onDeleted }: RowProps) {
  const { t } = useLingui()
  const { client } = useOrganization()
  const { asset, player, canEdit } = useVideo()
  const changed = useTracksChanged()
  const remove = useMutation({
    mutationFn: () => client.chapters.delete(asset.id, chapter.id),
    onSuccess: () => {
      changed()
      onDeleted()
    },
    onError: useProblemToast(),
  })
  const shown = chapter.start_seconds - useTrimmedStart()
  const seconds = Math.max(0, shown)
  const isOutside = !chapter.beyond_end && (shown < 0 || shown >= (asset.video.duration ?? Number.POSITIVE_INFINITY))
  const { title } = chapter
  const start = clock(seconds)
  return (
    <div className={styles.row}>
      <button
        type="button"
        className={styles.jump}
        aria-label={t`Play from ${start}: ${title}`}
        onClick={() => {
          player.current?.seek(seconds)
          player.current?.play().catch(() => undefined)
        }}
      >
        {mediaIcons.play}
        {start}
      </button>
      <p className={styles.title}>
        {title}
        {chapter.beyond_end && <small>{t`Starts after the end of the video`}</small>}
        {isOutside && <small>{t`Starts outside the part that viewers see`}</small>}
      </p>
      {canEdit && (
        <span className={styles.actions}>
          <IconButton
            label={t`Edit chapter ${title}`}
            icon={mediaIcons.edit}
            data-opens={chapter.id}
            onClick={onEdit}
          />
          <IconButton label={t`Delete chapter ${title}`} icon={icons.trash} onClick={() => remove.mutate()} />
        </span>
      )}
    </div>
  )
}

type ActionsProps = { readonly isEmpty: boolean; readonly onAdd?: () => void }

function ChapterActions({ isEmpty, onAdd }: ActionsProps) {
  const { t } = useLingui()
  const { id: organization, client } = useOrganization()
  const { asset, canEdit } = useVideo()
  const [isImporting, setImporting] = useState(false)
  const download = useMutation({
    mutationFn: () => client.chapters.export(asset.id),
    onSuccess: (text) => saveFile(`${asset.title}.chapters.vtt`, text),
    onError: useProblemToast(),
  })
  return (
    <div className={styles.buttons}>
      {canEdit && asset.video.duration !== null && (
        <Link
          className={buttonClass({ size: 'small' })}
          to="/o/$organization/videos/$video/chapters"
          params={{ organization, video: asset.id }}
        >
          {mediaIcons.film}
          {t`Edit on timeline`}
        </Link>
      )}
      {onAdd && (
        <Button size="small" icon={icons.plus} data-opens="new" onClick={onAdd}>
          {t`Add chapter`}
        </Button>
      )}
      {canEdit && (
        <Button size="small" look="quiet" icon={icons.upload} onClick={() => setImporting(true)}>
          {t`Import chapters`}
        </Button>
      )}
      {!isEmpty && (
        <Button size="small" look="quiet" icon={mediaIcons.download} onClick={() => download.mutate()}>
          {t`Export chapters`}
        </Button>
      )}
      <Suspense>{isImporting && <ImportDialog onClose={() => setImporting(false)} />}</Suspense>
    </div>
  )
}
