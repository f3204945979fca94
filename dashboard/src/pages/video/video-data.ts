import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Reelkeep } from 'reelkeep'
import { useEvents, useFeedState, useProgress } from '../../app/live/live.tsx'
import { useOrganization } from '../../app/organization/organization.tsx'
import { queryClient } from '../../app/queries.ts'

/** An asset with the entity tag of its editable fields. */
export type VideoAsset = Awaited<ReturnType<Reelkeep['assets']['read']>>

/** Interval of reading the video while it is processed, for roles that do not permit events. */
const POLL_MILLISECONDS = 5000

/** Parts of the page that are read on their own. */
type Part =
  | 'asset'
  | 'captions'
  | 'chapter-set'
  | 'chapters'
  | 'cover'
  | 'folder'
  | 'frames'
  | 'links'
  | 'parent'
  | 'plan'
  | 'subtitles'
  | 'timeline'
  | 'versions'

export const videoKey = (organization: string, id: string) => ['o', organization, 'videos', id] as const
export const partKey = (organization: string, id: string, part: Part) => [...videoKey(organization, id), part] as const

const hasEnded = (status: string) => ['Completed', 'Error', 'Cancelled'].includes(status)

export const isProcessing = ({ video: { status } }: VideoAsset) => !hasEnded(status)

/** Another one when another version, or another part of it, is shown: all its files are others then. */
export const shownKey = ({ version, video: { trim } }: VideoAsset): string =>
  trim ? `${version} from ${trim.start_seconds} to ${trim.end_seconds}` : `${version}`

export function useVideoQuery(id: string) {
  const { id: organization, client, can } = useOrganization()
  const isLive = can('events:read')
  return useQuery({
    queryKey: partKey(organization, id, 'asset'),
    queryFn: ({ signal }) => client.assets.read(id, { signal }),
    refetchInterval: ({ state: { data } }) => (!isLive && data && isProcessing(data) ? POLL_MILLISECONDS : false),
  })
}

/** The activity of the video. With an interval, it is read again also without an event. */
export function useTimeline(id: string, refetchInterval: number | false = false) {
  const { id: organization, client } = useOrganization()
  const { data } = useQuery({
    queryKey: partKey(organization, id, 'timeline'),
    queryFn: ({ signal }) => client.assets.readTimeline(id, { signal }),
    refetchInterval,
  })
  return data
}

/** Reads what is shown again after each event of the video, and when events arrive again after a lost connection. */
export function useLiveVideo(id: string): void {
  const { id: organization } = useOrganization()
  const state = useFeedState()
  useEvents(({ asset_id: assetId, type }) => {
    if (assetId === id && type !== 'asset.progress') {
      void queryClient.invalidateQueries({ queryKey: videoKey(organization, id) })
    }
  })
  useEffect(() => {
    if (state === 'live') void queryClient.invalidateQueries({ queryKey: videoKey(organization, id) })
  }, [state, organization, id])
}

/** Status and progress in percent, from the last event if it is newer than the asset. */
export function useVideoStatus({ id, video }: VideoAsset) {
  const live = useProgress(id)
  if (!live || hasEnded(video.status)) return { status: video.status, progress: video.progress }
  return { status: live.status, progress: Math.max(live.progress, video.progress) }
}
