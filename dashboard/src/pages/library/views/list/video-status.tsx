import { useLingui } from '@lingui/react/macro'
import { useProgress } from '../../../../app/live/live.tsx'
import { useStatusText } from '../../../../app/live/status-text.ts'
import { icons } from '../../../../ui/icons.tsx'
import type { ListedVideo } from '../../assets/listed-video.ts'
import styles from './video-list.module.css'

/** The status of a video that is not ready, with its live progress. */
export function VideoStatus({ video }: { readonly video: ListedVideo }) {
  const { i18n } = useLingui()
  const statusText = useStatusText()
  const { status, coverUrl } = video
  const live = useProgress(video.id)
  const isProcessing = status === 'Processing'
  const progress = isProcessing ? Math.max(live?.progress ?? 0, video.progress) : 0
  const percent = isProcessing && i18n.number(Math.round(progress) / 100, { style: 'percent' })
  return (
    <div className={styles.status} data-status={status} data-over={coverUrl !== null || undefined}>
      {status === 'Error' && icons.warning}
      <span>
        {statusText(status)} {percent}
      </span>
      {isProcessing && (
        <span className={styles.meter}>
          <span style={{ width: `${progress}%` }} />
        </span>
      )}
    </div>
  )
}
