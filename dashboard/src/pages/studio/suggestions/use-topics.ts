import { useMutation } from '@tanstack/react-query'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { useProblemToast } from '../../../app/toasts.tsx'
import { useSubtitles } from '../../video/tracks/track-data.ts'
import { useVideo } from '../../video/video-context.tsx'
import { lastFrameStart, nearestFrameStart } from '../timeline/frames.ts'
import type { Video } from '../timeline/zoom.ts'

type Topic = { readonly startMs: number; readonly title: string | null }

const none: readonly Topic[] = []

/** Chapters from the captions, which are made when the user asks for them: that can take a minute. */
export function useTopics({ rate, durationMs }: Video) {
  const { client } = useOrganization()
  const { asset } = useVideo()
  const { data: tracks = [] } = useSubtitles()
  const propose = useMutation({
    mutationFn: async (): Promise<readonly Topic[]> => {
      const { proposals } = await client.chapters.propose(asset.id)
      const last = lastFrameStart(rate, durationMs)
      return proposals.map(({ start_seconds: start, title }) => ({
        startMs: Math.min(last, nearestFrameStart(rate, start * 1000)),
        title,
      }))
    },
    onError: useProblemToast(),
  })
  return {
    hasCaptions: tracks.length > 0,
    isFinding: propose.isPending,
    /** Whether the user has asked, and there was an answer. */
    isKnown: propose.isSuccess,
    find: () => propose.mutate(),
    found: propose.data ?? none,
  }
}
