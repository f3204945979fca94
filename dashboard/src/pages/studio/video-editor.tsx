import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import { useOrganization } from '../../app/organization/organization.tsx'
import { PageTitle } from '../../app/texts/page-title.tsx'
import { useProblemText } from '../../app/texts/problem-text.ts'
import { Button } from '../../ui/button.tsx'
import { useTrim } from '../video/clips/use-trim.ts'
import { useVideo, VideoProvider } from '../video/video-context.tsx'
import { partKey, useLiveVideo, useVideoQuery, type VideoAsset } from '../video/video-data.ts'
import styles from './studio-page.module.css'
import { FRAME_RATE_DEFAULT } from './timeline/frames.ts'
import type { Video } from './timeline/zoom.ts'

type Props = {
  readonly id: string
  /** Title of the page if the video cannot be read. */
  readonly problemTitle: string
  readonly children: (video: Video) => ReactNode
}

/** Reads the video for a page with a timeline, and says why it cannot be edited. */
export function VideoEditor({ id, problemTitle, children }: Props) {
  const { data: asset, error, refetch } = useVideoQuery(id)
  useLiveVideo(id)
  if (!asset)
    return error ? <Problem {...{ id, error }} title={problemTitle} onRetry={() => void refetch()} /> : <Loading />
  return (
    <VideoProvider asset={asset}>
      <WithTimeline>{children}</WithTimeline>
    </VideoProvider>
  )
}

function WithTimeline({ children }: Pick<Props, 'children'>) {
  const { t } = useLingui()
  const { asset, canEdit } = useVideo()
  const { id } = asset
  const video = useTimelineVideo(asset)
  if (!canEdit)
    return <Message {...{ id }} title={t`You cannot edit this video`}>{t`Your role permits to watch it only.`}</Message>
  if (asset.video.duration === null || video?.durationMs === 0) {
    return (
      <Message {...{ id }} title={t`The timeline is not ready`}>
        {t`It opens as soon as the file of the video has been read, seconds after the upload.`}
      </Message>
    )
  }
  if (asset.video.trim) return <Trimmed />
  return video ? children(video) : <Loading />
}

/** Chapters and captions have the times of the whole video, which a trimmed video does not show. */
function Trimmed() {
  const { t } = useLingui()
  const { asset } = useVideo()
  const { remove } = useTrim()
  const undo = (
    <Button isBusy={remove.isPending} onClick={() => remove.mutate()}>
      {t`Undo the trim`}
    </Button>
  )
  return (
    <Message id={asset.id} title={t`This video is trimmed`} action={undo}>
      {t`Chapters and captions are edited on the whole video. Undo the trim, edit them, and trim the video again.`}
    </Message>
  )
}

/** Duration and frame rate of what the asset shows. Undefined while they are read. */
export function useTimelineVideo(asset: VideoAsset): Video | undefined {
  const rate = useFrameRate(asset)
  const durationMs = Math.floor((asset.video.duration ?? 0) * 1000)
  return useMemo(() => (rate === undefined ? undefined : { durationMs, rate }), [durationMs, rate])
}

/** The exact frame rate of the renditions, which the player shows. Undefined while it is read. */
function useFrameRate(asset: VideoAsset): number | undefined {
  const { id: organization, client } = useOrganization()
  const { data, isPending } = useQuery({
    queryKey: [...partKey(organization, asset.id, 'frames'), asset.version],
    queryFn: ({ signal }) => client.assets.readFrames(asset.id, { around: 0 }, { signal }),
    enabled: asset.video.duration !== null,
  })
  if (isPending) return undefined
  const rate = data?.frame_rate
  return rate ? rate.numerator / rate.denominator : FRAME_RATE_DEFAULT
}

export function Loading() {
  const { t } = useLingui()
  return (
    <p className={styles.message} role="status">
      {t`Loading…`}
    </p>
  )
}

type ProblemProps = {
  readonly id: string
  readonly title: string
  readonly error: unknown
  readonly onRetry: () => void
}

export function Problem({ id, title, error, onRetry }: ProblemProps) {
  const { t } = useLingui()
  const problemText = useProblemText()
  return (
    <Message {...{ id, title }} action={<Button onClick={onRetry}>{t`Try again`}</Button>}>
      {problemText(error)}
    </Message>
  )
}

type MessageProps = {
  readonly id: string
  readonly title: string
  readonly action?: ReactNode
  readonly children: ReactNode
}

export function Message({ id, title, action, children }: MessageProps) {
  const { t } = useLingui()
  const { id: organization } = useOrganization()
  return (
    <div className={styles.message}>
      <PageTitle title={title} />
      <p>{children}</p>
      {action}
      <Link to="/o/$organization/videos/$video" params={{ organization, video: id }}>{t`Back to the video`}</Link>
    </div>
  )
}
