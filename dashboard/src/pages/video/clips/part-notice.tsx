import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { Button } from '../../../ui/button.tsx'
import { mediaIcons } from '../../../ui/media-icons.tsx'
import { exactClock } from '../formats.ts'
import { useVideo } from '../video-context.tsx'
import { partKey, type VideoAsset } from '../video-data.ts'
import styles from './part-notice.module.css'
import { useTrim } from './use-trim.ts'

/** Below the player of a clip or a trimmed video: what it shows, and of which video. */
export function PartNotice() {
  const { asset } = useVideo()
  const { clip, trim } = asset.video
  return (
    <>
      {clip && <ClipNotice clip={clip} />}
      {trim && <TrimNotice trim={trim} />}
    </>
  )
}

function ClipNotice({ clip }: { readonly clip: NonNullable<VideoAsset['video']['clip']> }) {
  const { t } = useLingui()
  const { id: organization, client } = useOrganization()
  const { asset } = useVideo()
  const { data: parent, isPending } = useQuery({
    queryKey: partKey(organization, asset.id, 'parent'),
    queryFn: ({ signal }) => client.assets.read(clip.parent_id, { signal }),
    retry: false,
  })
  const [start, end] = [exactClock(clip.start_seconds), exactClock(clip.end_seconds)]
  return (
    <div className={styles.notice} role="note" aria-label={t`Clip`}>
      {mediaIcons.film}
      <p>
        {t`Clip from ${start} to ${end} of`}{' '}
        {parent ? (
          <Link to="/o/$organization/videos/$video" params={{ organization, video: parent.id }}>
            {parent.title}
          </Link>
        ) : (
          !isPending && t`a video that was deleted or that you cannot access. The clip is not affected.`
        )}
      </p>
    </div>
  )
}

function TrimNotice({ trim }: { readonly trim: NonNullable<VideoAsset['video']['trim']> }) {
  const { t } = useLingui()
  const { canEdit } = useVideo()
  const { remove } = useTrim()
  const [start, end, whole] = [trim.start_seconds, trim.end_seconds, trim.whole_duration].map(exactClock)
  return (
    <div className={styles.notice} role="note" aria-label={t`Trim`}>
      {mediaIcons.trim}
      <p>{t`Trimmed: viewers see the part from ${start} to ${end} of ${whole}.`}</p>
      {canEdit && (
        <Button size="small" isBusy={remove.isPending} onClick={() => remove.mutate()}>
          {t`Undo the trim`}
        </Button>
      )}
    </div>
  )
}
