import { useQuery } from '@tanstack/react-query'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { useVideo } from '../../video/video-context.tsx'
import type { ChapterValues } from '../chapters/chapter-edits.ts'

/** Times in milliseconds. */
type Proposals = {
  /** Starts, in order. */
  readonly scenes: readonly number[]
  readonly pauses: readonly number[]
  /** The video without silence at its beginning and end, if there is any. */
  readonly trim: { readonly startMs: number; readonly endMs: number } | undefined
}

const none: Proposals = { scenes: [], pauses: [], trim: undefined }
const toMs = (seconds: number) => Math.round(seconds * 1000)

/** Where chapters could start, and what could be cut off at the ends, as the pipeline has found. The editor works without it, so an error means none. */
export function useProposals(): Proposals {
  const { id: organization, client } = useOrganization()
  const { asset } = useVideo()
  const { data = none } = useQuery({
    // Proposals are there when processing is complete. They do not change with other events of the video.
    queryKey: ['o', organization, 'studio', asset.id, 'proposals', asset.version, asset.video.status],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const { proposals, trim } = await client.chapters.readProposals(asset.id, { signal })
      const startsOf = (wanted: string) =>
        proposals.flatMap(({ kind, start_seconds: start }) => (kind === wanted ? [toMs(start)] : []))
      const range = trim ? { startMs: toMs(trim.start_seconds), endMs: toMs(trim.end_seconds) } : undefined
      return { scenes: startsOf('scene'), pauses: startsOf('pause'), trim: range }
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
      return chapters.map(({ title, start_seconds: start = 0 }) => ({ title, startMs: toMs(start) }))
    },
  })
  return data
}
