import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { FeedEvent } from '../../../app/live/event-feed.ts'
import { useEvents, useFeedState } from '../../../app/live/live.tsx'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { patchAsset, refreshAssets, removeAssets } from './asset-cache.ts'
import { assetsKey } from './asset-query.ts'
import { ChangedVideos } from './changed-videos.ts'

type AssetEvent = Extract<FeedEvent, { type: `asset.${string}` }>
const isAssetEvent = (event: FeedEvent): event is AssetEvent => event.type.startsWith('asset.')

/** Applies events to the lists of videos: a changed status is visible at once, all else after reading it. */
export function useLiveAssets(): void {
  const organization = useOrganization()
  const queryClient = useQueryClient()
  const changed = useRef<ChangedVideos>(undefined)
  useEffect(() => {
    const videos = new ChangedVideos((ids) => refreshAssets(queryClient, organization, ids).catch(() => {}))
    changed.current = videos
    return () => videos.close()
  }, [queryClient, organization])

  useEvents((event) => {
    if (!isAssetEvent(event) || event.type === 'asset.progress') return
    const { id, status, title, duration } = event.data
    if (event.type === 'asset.deleted' || event.type === 'asset.purged') {
      removeAssets(queryClient, organization, new Set([id]))
    } else {
      patchAsset(queryClient, organization, id, { status, title, duration })
    }
    changed.current?.add(id)
  })
  useReadAfterLoss()
}

/** Events may have been missed while no connection was open. */
function useReadAfterLoss(): void {
  const organization = useOrganization()
  const queryClient = useQueryClient()
  const state = useFeedState()
  const wasLost = useRef(false)
  useEffect(() => {
    if (state === 'lost') wasLost.current = true
    if (state !== 'live' || !wasLost.current) return
    wasLost.current = false
    void queryClient.invalidateQueries({ queryKey: assetsKey(organization) })
  }, [state, queryClient, organization])
}
