import { useMutation } from '@tanstack/react-query'
import { useOrganization } from '../../app/organization/organization.tsx'
import { useTimelineTools } from '../studio/studio-context.tsx'
import { useCreated } from '../video/clips/use-created.ts'
import { useTrim } from '../video/clips/use-trim.ts'
import { useVideo } from '../video/video-context.tsx'
import { type Part, secondsOf } from './part.ts'

type NewPart = {
  readonly part: Part
  readonly title: string
  /** Whether the clip becomes a video with media of its own. */
  readonly isRendered: boolean
}

/** Creates the clip, or trims the video. */
export function useSavePart(kind: 'clip' | 'trim', onSaved: () => void) {
  const { client } = useOrganization()
  const { asset } = useVideo()
  const { video } = useTimelineTools()
  const { set } = useTrim()
  const showCreated = useCreated()
  return useMutation({
    mutationFn: async ({ part, title, isRendered }: NewPart) => {
      const times = secondsOf(part, video)
      if (kind === 'clip' && isRendered) return client.clips.render(asset.id, { ...times, title })
      if (kind === 'clip') return client.clips.create(asset.id, { ...times, title })
      // A trim has times of the whole video.
      const before = asset.video.trim?.start_seconds ?? 0
      return set.mutateAsync({ start_seconds: before + times.start_seconds, end_seconds: before + times.end_seconds })
    },
    onSuccess: (created) => {
      if (kind === 'clip') showCreated(created)
      onSaved()
    },
  })
}
