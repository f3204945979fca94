import { useQuery } from '@tanstack/react-query'
import type { Chapter } from 'reelkeep'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { queryClient } from '../../../app/queries.ts'
import { useVideo } from '../video-context.tsx'
import { partKey } from '../video-data.ts'

/** The API allows 500 chapters, in pages of at most 100. */
const PAGE = 100

export function useChapters() {
  const { id: organization, client } = useOrganization()
  const { asset } = useVideo()
  return useQuery({
    queryKey: partKey(organization, asset.id, 'chapters'),
    queryFn: async ({ signal }) => {
      const chapters: Chapter[] = []
      for await (const chapter of client.chapters.list(asset.id, { limit: PAGE }, { signal })) chapters.push(chapter)
      return chapters
    },
  })
}

/** Seconds of the whole video before the part that a trimmed video shows. Chapters have times of the whole video. */
export const useTrimmedStart = (): number => useVideo().asset.video.trim?.start_seconds ?? 0

/** Returns a function that shows changed tracks here and in the player. */
export function useTracksChanged(): () => void {
  const { id: organization } = useOrganization()
  const { asset, player } = useVideo()
  return () => {
    void queryClient.invalidateQueries({ queryKey: partKey(organization, asset.id, 'chapters') })
    void queryClient.invalidateQueries({ queryKey: partKey(organization, asset.id, 'subtitles') })
    void player.current?.refresh?.()
  }
}

export function useSubtitles() {
  const { id: organization, client } = useOrganization()
  const { asset } = useVideo()
  return useQuery({
    queryKey: partKey(organization, asset.id, 'subtitles'),
    queryFn: async ({ signal }) => (await client.subtitles.list(asset.id, { limit: 100 }, { signal })).results,
  })
}
