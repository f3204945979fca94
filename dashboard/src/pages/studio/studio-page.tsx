import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, Link } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import { useOrganization } from '../../app/organization/organization.tsx'
import { PageTitle } from '../../app/texts/page-title.tsx'
import { useProblemText } from '../../app/texts/problem-text.ts'
import { Button } from '../../ui/button.tsx'
import { useVideo, VideoProvider } from '../video/video-context.tsx'
import { partKey, useLiveVideo, useVideoQuery, type VideoAsset } from '../video/video-data.ts'
import { useChapterSet } from './save/use-editor.ts'
import { Studio } from './studio.tsx'
import styles from './studio-page.module.css'
import { FRAME_RATE_DEFAULT } from './timeline/frames.ts'

export const studioPage = createLazyRoute('/signed-in/o/$organization/videos/$video/chapters')({
  component: StudioPage,
})

/** The chapters of a video on a timeline. */
function StudioPage() {
  const { video } = studioPage.useParams()
  return <Loaded key={video} id={video} />
}

function Loaded({ id }: { readonly id: string }) {
  const { data: asset, error, refetch } = useVideoQuery(id)
  useLiveVideo(id)
  if (!asset) return error ? <Problem error={error} onRetry={() => void refetch()} /> : <Loading />
  return (
    <VideoProvider asset={asset}>
      <WithChapters />
    </VideoProvider>
  )
}

function WithChapters() {
  const { t } = useLingui()
  const { asset, canEdit } = useVideo()
  const { data: chapters, error, refetch } = useChapterSet()
  const rate = useFrameRate(asset)
  const { duration } = asset.video
  const video = useMemo(() => ({ durationMs: Math.floor((duration ?? 0) * 1000), rate: rate ?? 1 }), [duration, rate])
  if (!canEdit) return <Message title={t`You cannot edit this video`}>{t`Your role permits to watch it only.`}</Message>
  if (duration === null || video.durationMs === 0) {
    return (
      <Message title={t`The timeline is not ready`}>
        {t`It opens as soon as the file of the video has been read, seconds after the upload.`}
      </Message>
    )
  }
  if (!chapters) return error ? <Problem error={error} onRetry={() => void refetch()} /> : <Loading />
  // Another version can have another length, to which nothing on the timeline would fit.
  return rate === undefined ? <Loading /> : <Studio key={asset.version} initial={chapters} video={video} />
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

function Loading() {
  const { t } = useLingui()
  return (
    <p className={styles.message} role="status">
      {t`Loading…`}
    </p>
  )
}

function Problem({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) {
  const { t } = useLingui()
  const problemText = useProblemText()
  return (
    <Message title={t`The chapters cannot be shown`} action={<Button onClick={onRetry}>{t`Try again`}</Button>}>
      {problemText(error)}
    </Message>
  )
}

type MessageProps = { readonly title: string; readonly action?: ReactNode; readonly children: ReactNode }

function Message({ title, action, children }: MessageProps) {
  const { t } = useLingui()
  const params = studioPage.useParams()
  return (
    <div className={styles.message}>
      <PageTitle title={title} />
      <p>{children}</p>
      {action}
      <Link to="/o/$organization/videos/$video" params={params}>{t`Back to the video`}</Link>
    </div>
  )
}
