import { useLingui } from '@lingui/react/macro'
import { createLazyRoute } from '@tanstack/react-router'
import type { Video } from '../studio/timeline/zoom.ts'
import { Loading, Message, Problem, VideoEditor } from '../studio/video-editor.tsx'
import { useSubtitles } from '../video/tracks/track-data.ts'
import { useVideo } from '../video/video-context.tsx'
import { CaptionsEditor } from './captions-editor.tsx'
import { useSavedCaptions } from './save/use-captions.ts'

export const captionsPage = createLazyRoute('/signed-in/o/$organization/videos/$video/captions/$track')({
  component: CaptionsPage,
})

/** The captions of a video: a list of cues, and the timeline. */
function CaptionsPage() {
  const { t } = useLingui()
  const { video: id, track } = captionsPage.useParams()
  return (
    <VideoEditor key={`${id} ${track}`} id={id} problemTitle={t`The captions cannot be shown`}>
      {(video) => <WithTrack video={video} trackId={track} />}
    </VideoEditor>
  )
}

function WithTrack({ video, trackId }: { readonly video: Video; readonly trackId: string }) {
  const { t } = useLingui()
  const { asset } = useVideo()
  const tracks = useSubtitles()
  const track = tracks.data?.find(({ id }) => id === trackId)
  const saved = useSavedCaptions(track?.id)
  const error = tracks.error ?? saved.error
  if (tracks.data && !track) {
    return (
      <Message id={asset.id} title={t`The captions do not exist`}>
        {t`They may have been deleted.`}
      </Message>
    )
  }
  if (track && saved.data)
    return <CaptionsEditor key={asset.version} track={track} initial={saved.data} video={video} />
  if (!error) return <Loading />
  const retry = () => void (tracks.error ? tracks.refetch() : saved.refetch())
  return <Problem id={asset.id} title={t`The captions cannot be shown`} error={error} onRetry={retry} />
}
