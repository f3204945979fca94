import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { useFailureText } from '../failure-text.ts'
import { percentText } from '../formats.ts'
import { useVideo } from '../video-context.tsx'
import { useTimeline, useVideoStatus } from '../video-data.ts'
import styles from './player.module.css'
import { CancelButton, RetryButton } from './processing-buttons.tsx'
import { ProgressBar } from './progress-bar.tsx'

/** In the place of the player while nothing can be played. */
export function Waiting() {
  const { t, i18n } = useLingui()
  const { asset } = useVideo()
  const { status, progress } = useVideoStatus(asset)
  if (hasStopped(status)) return <Failed />
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
      <p>{isQueued ? <QueuedText /> : t`The video can be played as soon as its first part is ready.`}</p>
      <div className={styles.stepsOnPlayer}>
        <ProgressBar label={t`Processing`} percent={progress} />
      </div>
      <CancelButton />
    </div>
  )
}

const hasStopped = (status: string) => status === 'Error' || status === 'Cancelled'

const MINUTE_MILLISECONDS = 60_000
/** Longer than a worker usually needs to start a video. */
const LONG_MINUTES = 2

/** Says that workers may be unavailable if the video has been waiting for long. */
function QueuedText(): ReactNode {
  const { t } = useLingui()
  const { asset } = useVideo()
  const timeline = useTimeline(asset.id, MINUTE_MILLISECONDS)
  const since = timeline?.entries.findLast(({ what }) => what === 'uploaded' || what === 'retried')?.at
  const minutes = since === undefined ? 0 : Math.floor((Date.now() - Date.parse(since)) / MINUTE_MILLISECONDS)
  if (minutes < LONG_MINUTES) return t`Processing starts as soon as a worker is free.`
  const waited = plural(minutes, { one: '# minute', other: '# minutes' })
  return t`No worker has started to process the video for ${waited}. All workers are busy or unavailable. Nothing is lost: processing starts automatically.`
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

/** Below the player while the rest of the video is processed, or after this failed or was cancelled. */
export function ProcessingStatus() {
  const { t, i18n } = useLingui()
  const { asset } = useVideo()
  const { status, progress } = useVideoStatus(asset)
  if (asset.video.playback_url === null || status === 'Completed') return null
  if (hasStopped(status)) {
    return (
      <div className={styles.steps}>
        <StoppedText />
        <div className={styles.actions}>
          <RetryButton />
        </div>
      </div>
    )
  }
  return (
    <div className={styles.steps}>
      <p>
        <strong>{t`Processing ${percentText(progress, i18n.locale)}`}</strong>
        {t`You can already watch the finished part.`}
      </p>
      <ProgressBar label={t`Processing`} percent={progress} />
      <div className={styles.actions}>
        <CancelButton />
      </div>
    </div>
  )
}

function StoppedText() {
  const { t } = useLingui()
  const { asset } = useVideo()
  const failureText = useFailureText()
  const { error, status } = asset.video
  return (
    <p>
      <strong>{status === 'Cancelled' ? t`Processing was cancelled` : t`Processing failed`}</strong>
      {error ? failureText(error) : t`You can watch the finished part.`}
    </p>
  )
}
