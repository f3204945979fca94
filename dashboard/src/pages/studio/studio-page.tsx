import { useLingui } from '@lingui/react/macro'
import { createLazyRoute } from '@tanstack/react-router'
import { useVideo } from '../video/video-context.tsx'
import { shownKey } from '../video/video-data.ts'
import { useChapterSet } from './save/use-editor.ts'
import { Studio } from './studio.tsx'
import type { Video } from './timeline/zoom.ts'
import { Loading, Problem, VideoEditor } from './video-editor.tsx'

export const studioPage = createLazyRoute('/signed-in/o/$organization/videos/$video/chapters')({
  component: StudioPage,
})

/** The chapters of a video on a timeline. */
function StudioPage() {
  const { t } = useLingui()
  const { video: id } = studioPage.useParams()
  return (
    <VideoEditor key={id} id={id} problemTitle={t`The chapters cannot be shown`}>
      {(video) => <WithChapters video={video} />}
    </VideoEditor>
  )
}

function WithChapters({ video }: { readonly video: Video }) {
  const { t } = useLingui()
  const { asset } = useVideo()
  const { data: chapters, error, refetch } = useChapterSet()
  // Another version can have another length, to which nothing on the timeline would fit.
  if (chapters) return <Studio key={shownKey(asset)} initial={chapters} video={video} />
  if (!error) return <Loading />
  return <Problem id={asset.id} title={t`The chapters cannot be shown`} error={error} onRetry={() => void refetch()} />
}
