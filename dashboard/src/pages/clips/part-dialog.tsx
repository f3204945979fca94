import { useLingui } from '@lingui/react/macro'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { useOrganization } from '../../app/organization/organization.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Playhead } from '../studio/media/playhead.ts'
import { useWaveform } from '../studio/media/use-tracks.ts'
import { TimelineProvider } from '../studio/studio-context.tsx'
import type { Video } from '../studio/timeline/zoom.ts'
import { useTimelineVideo } from '../studio/video-editor.tsx'
import { useVideo, VideoProvider } from '../video/video-context.tsx'
import { videoKey } from '../video/video-data.ts'
import { PartEditor } from './part-editor.tsx'

type Props = {
  readonly kind: 'clip' | 'trim'
  /** Position of the player of the page. A clip starts there. */
  readonly initialSeconds: number
  readonly onClose: () => void
}

/** Chooses the first and the last frame of a clip or a trim, on a player and a timeline of its own. */
export function PartDialog({ kind, initialSeconds, onClose }: Props) {
  const { t } = useLingui()
  const { asset } = useVideo()
  const { id: organization } = useOrganization()
  const queries = useQueryClient()
  const video = useTimelineVideo(asset)
  // Someone else may have trimmed the video, or replaced it.
  useEffect(() => {
    void queries.invalidateQueries({ queryKey: videoKey(organization, asset.id) })
  }, [queries, organization, asset.id])
  return (
    <Dialog title={kind === 'clip' ? t`Make a clip` : t`Trim the video`} isFull onClose={onClose}>
      {/* With a player of its own, so that the one of the page stays where it is. */}
      <VideoProvider asset={asset}>
        {video ? <WithPlayhead {...{ kind, video, initialSeconds, onClose }} /> : <p role="status">{t`Loading…`}</p>}
      </VideoProvider>
    </Dialog>
  )
}

function WithPlayhead({ video, ...props }: Props & { readonly video: Video }) {
  const { player } = useVideo()
  const [playhead] = useState(() => new Playhead(video))
  const waveform = useWaveform()
  useEffect(() => playhead.follow(player.current), [playhead, player])
  const tools = useMemo(() => ({ video, playhead, waveform }), [video, playhead, waveform])
  return (
    <TimelineProvider value={tools}>
      <PartEditor {...props} />
    </TimelineProvider>
  )
}
