import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { timeText } from '../formats.ts'
import { useVideo } from '../video-context.tsx'
import { partKey } from '../video-data.ts'
import styles from './files.module.css'

/** The timeline of the video, newest first. The service writes the entries in English. */
export function Activity() {
  const { t, i18n } = useLingui()
  const { id: organization, client } = useOrganization()
  const { asset } = useVideo()
  const { data: timeline } = useQuery({
    queryKey: partKey(organization, asset.id, 'timeline'),
    queryFn: ({ signal }) => client.assets.readTimeline(asset.id, { signal }),
  })
  if (!timeline) return null
  const { pending } = timeline
  return (
    <ol className={styles.timeline} aria-label={t`Activity`} lang="en">
      {pending && <li data-pending>{pending.detail}</li>}
      {timeline.entries.toReversed().map(({ at, what, detail }) => (
        <li key={`${at} ${what}`}>
          {detail}
          <time dateTime={at}>{timeText(at, i18n.locale)}</time>
        </li>
      ))}
    </ol>
  )
}
