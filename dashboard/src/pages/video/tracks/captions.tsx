import { useLingui } from '@lingui/react/macro'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import type { Subtitle } from 'reelkeep'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { useProblemToast } from '../../../app/toasts.tsx'
import { Button, buttonClass, IconButton } from '../../../ui/button.tsx'
import { icons } from '../../../ui/icons.tsx'
import { LazyConfirmDialog } from '../../../ui/lazy-confirm-dialog.tsx'
import { mediaIcons } from '../../../ui/media-icons.tsx'
import { useVideo } from '../video-context.tsx'
import { isProcessing } from '../video-data.ts'
import { saveFile } from './save-file.ts'
import { useSubtitles, useTracksChanged } from './track-data.ts'
import styles from './tracks.module.css'

const CaptionsDialog = lazy(async () => ({ default: (await import('./captions-dialog.tsx')).CaptionsDialog }))

/** Caption tracks: uploaded, generated, or from the file. */
export function Captions() {
  const { t } = useLingui()
  const { asset, canEdit } = useVideo()
  const { data: tracks = [] } = useSubtitles()
  const [isAdding, setAdding] = useState(false)
  const isGenerating = asset.video.generate_subtitle && isProcessing(asset)
  return (
    <div className={styles.panel}>
      {tracks.length === 0 && (
        <p className={styles.empty}>
          {isGenerating ? t`Captions are being generated.` : t`This video has no captions.`}
        </p>
      )}
      {tracks.length > 0 && (
        <ul className={styles.list} aria-label={t`Captions`}>
          {tracks.map((track) => (
            <li key={track.id}>
              <TrackRow track={track} />
            </li>
          ))}
        </ul>
      )}
      {canEdit && (
        <div className={styles.buttons}>
          <Button size="small" icon={icons.plus} onClick={() => setAdding(true)}>
            {t`Add captions`}
          </Button>
        </div>
      )}
      <Suspense>{isAdding && <CaptionsDialog onClose={() => setAdding(false)} />}</Suspense>
    </div>
  )
}

function TrackRow({ track }: { readonly track: Subtitle }) {
  const { t, i18n } = useLingui()
  const { id: organization, client } = useOrganization()
  const { asset, canEdit } = useVideo()
  const [isDeleting, setDeleting] = useState(false)
  const changed = useTracksChanged()
  const onError = useProblemToast()
  const remove = useMutation({
    mutationFn: () => client.subtitles.delete(asset.id, track.id),
    onSuccess: changed,
    onError,
  })
  const download = useMutation({
    mutationFn: () => client.subtitles.read(asset.id, track.id),
    onSuccess: (text) => saveFile(`${asset.title}.${track.language}.vtt`, text),
    onError,
  })
  const origins: Record<string, string> = {
    uploaded: t`Uploaded`,
    generated: t`Generated, may contain errors`,
    embedded: t`From the file`,
  }
  const { label } = track
  const language = new Intl.DisplayNames(i18n.locale, { type: 'language' }).of(track.language) ?? track.language
  return (
    <div className={styles.row}>
      <span className={styles.icon}>{mediaIcons.captions}</span>
      <p className={styles.title}>
        {label}
        <small>
          {language} · {origins[track.origin] ?? track.origin}
        </small>
      </p>
      <span className={styles.actions}>
        {canEdit && asset.video.duration !== null && (
          <Link
            className={buttonClass({ look: 'quiet', size: 'small' })}
            aria-label={t`Edit ${label}`}
            title={t`Edit ${label}`}
            to="/o/$organization/videos/$video/captions/$track"
            params={{ organization, video: asset.id, track: track.id }}
          >
            {mediaIcons.edit}
          </Link>
        )}
        <IconButton label={t`Download ${label}`} icon={mediaIcons.download} onClick={() => download.mutate()} />
        {canEdit && <IconButton label={t`Delete ${label}`} icon={icons.trash} onClick={() => setDeleting(true)} />}
      </span>
      <Suspense>
        {isDeleting && (
          <LazyConfirmDialog
            title={t`Delete captions?`}
            confirmLabel={t`Delete captions`}
            onClose={() => setDeleting(false)}
            onConfirm={() => {
              setDeleting(false)
              remove.mutate()
            }}
          >
            {t`The track “${label}” is deleted forever. Download it first if you need it.`}
          </LazyConfirmDialog>
        )}
      </Suspense>
    </div>
  )
}
