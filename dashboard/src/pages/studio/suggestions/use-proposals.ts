import { useQuery } from '@tanstack/react-query'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { useVideo } from '../../video/video-context.tsx'
import type { ChapterValues } from '../chapters/chapter-edits.ts'

/** Starts in milliseconds, in order. */
type FoundStarts = { readonly scenes: readonly number[]; readonly pauses: readonly number[] }

const none: FoundStarts = { scenes: [], pauses: [] }

/** Where chapters could start, as the pipeline has found. The editor works without it, so an error means none. */
export function useProposals(): FoundStarts {
  const { id: organization, client } = useOrganization()
  const { asset } = useVideo()
  const { data = none } = useQuery({
    // Proposals are there when processing is complete. They do not change with other events of the video.
    queryKey: ['o', organization, 'studio', asset.id, 'proposals', asset.version, asset.video.status],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const { proposals } = await client.chapters.readProposals(asset.id, { signal })
      const startsOf = (wanted: string) =>
        proposals.flatMap(({ kind, start_seconds: start }) => (kind === wanted ? [Math.round(start * 1000)] : []))
      return { scenes: startsOf('scene'), pauses: startsOf('pause') }
    },
  })
  return data
}

const noChapters: readonly ChapterValues[] = []

/** Chapters that the uploaded file contains. */
export function useFoundChapters(): readonly ChapterValues[] {
  const { id: organization, client } = useOrganization()
  const { asset } = useVideo()
  const { data = noChapters } = useQuery({
    queryKey: ['o', organization, 'studio', asset.id, 'found', asset.version],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const { chapters } = await client.chapters.readFound(asset.id, { signal })
      return chapters.map(({ title, start_seconds: start = 0 }) => ({ title, startMs: Math.round(start * 1000) }))
    },
  })
  return data
}
