import { useLingui } from '@lingui/react/macro'
import type { Timeline } from 'reelkeep'
import { timeText } from '../formats.ts'
import { useVideo } from '../video-context.tsx'
import { useTimeline } from '../video-data.ts'
import { hasDetails, useActivityText } from './activity-text.ts'
import styles from './files.module.css'

/** The timeline of the video, newest first. The service writes the details of entries in English. */
export function Activity() {
  const { t } = useLingui()
  const { asset } = useVideo()
  const timeline = useTimeline(asset.id)
  if (!timeline) return null
  const { pending } = timeline
  return (
    <ol className={styles.timeline} aria-label={t`Activity`}>
      {pending && (
        <li data-pending>
          {pending.what === 'completed' ? t`Processing` : t`Waiting`}
          <small lang="en">{pending.detail}</small>
        </li>
      )}
      {timeline.entries.toReversed().map((entry) => (
        <Entry key={`${entry.at} ${entry.what}`} entry={entry} />
      ))}
    </ol>
  )
}

function Entry({ entry: { at, what, detail } }: { readonly entry: Timeline['entries'][number] }) {
  const { i18n } = useLingui()
  const title = useActivityText()(what)
  return (
    <li>
      {title}
      {hasDetails(what) && <small lang="en">{detail}</small>}
      <time dateTime={at}>{timeText(at, i18n.locale)}</time>
    </li>
  )
}
