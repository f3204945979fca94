import { useLingui } from '@lingui/react/macro'
import { useMutation } from '@tanstack/react-query'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { queryClient } from '../../../app/queries.ts'
import { useProblemToast } from '../../../app/toasts.tsx'
import { Button } from '../../../ui/button.tsx'
import { mediaIcons } from '../../../ui/media-icons.tsx'
import { useFailureText } from '../failure-text.ts'
import { percentText } from '../formats.ts'
import { useVideo } from '../video-context.tsx'
import { isProcessing, useVideoStatus, videoKey } from '../video-data.ts'
import styles from './player.module.css'
import { ProgressBar } from './progress-bar.tsx'

/** In the place of the player while nothing can be played. */
export function Waiting() {
  const { t, i18n } = useLingui()
  const { asset } = useVideo()
  const { status, progress } = useVideoStatus(asset)
  if (status === 'Error' || status === 'Cancelled') return <Failed />
  if (status === 'Not Started') {
    return (
      <div className={styles.waiting}>
        <h2>{t`Waiting for the file`}</h2>
        <p>{t`The upload of this video has not finished yet.`}</p>
      </div>
    )
  }
  const isQueued = status === 'Queued'
  return (
    <div className={styles.waiting}>
      <h2>{isQueued ? t`In the queue` : t`Processing ${percentText(progress, i18n.locale)}`}</h2>
      <p>
        {isQueued
          ? t`Processing starts as soon as a worker is free.`
          : t`The video can be played as soon as its first part is ready.`}
      </p>
      <div className={styles.stepsOnPlayer}>
        <ProgressBar label={t`Processing`} percent={progress} />
      </div>
    </div>
  )
}

function Failed() {
  const { t } = useLingui()
  const { asset } = useVideo()
  const failureText = useFailureText()
  const { error, status } = asset.video
  return (
    <div className={styles.waiting}>
      <h2>{status === 'Cancelled' ? t`Processing was cancelled` : t`Processing failed`}</h2>
      {error && <p>{failureText(error)}</p>}
      <RetryButton />
    </div>
  )
}

/** Files that cannot become a video by another attempt. */
const finalFailures = [
  'upload_',
  'not_a_video',
  'container_',
  'file_damaged',
  'no_video_stream',
  'codec_',
  'video_too_',
]

function RetryButton() {
  const { t } = useLingui()
  const { asset, canEdit } = useVideo()
  const { id: organization, client } = useOrganization()
  const showProblem = useProblemToast()
  const retry = useMutation({
    mutationFn: () => client.assets.retry(asset.id),
    onError: showProblem,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: videoKey(organization, asset.id) }),
  })
  const code = asset.video.error?.code ?? ''
  if (!canEdit || finalFailures.some((prefix) => code.startsWith(prefix))) return null
  return (
    <Button icon={mediaIcons.retry} isBusy={retry.isPending} onClick={() => retry.mutate()}>
      {t`Process again`}
    </Button>
  )
}

/** Below the player while the rest of the video is processed, or after a failure. */
export function ProcessingStatus() {
  const { t, i18n } = useLingui()
  const { asset } = useVideo()
  const { progress } = useVideoStatus(asset)
  if (asset.video.playback_url === null || !isProcessing(asset)) return null
  return (
    <div className={styles.steps}>
      <p>
        <strong>{t`Processing ${percentText(progress, i18n.locale)}`}</strong>
        {t`You can watch what is ready.`}
      </p>
      <ProgressBar label={t`Processing`} percent={progress} />
    </div>
  )
}
