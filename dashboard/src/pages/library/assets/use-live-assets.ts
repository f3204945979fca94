import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { FeedEvent } from '../../../app/live/event-feed.ts'
import { useEvents, useFeedState } from '../../../app/live/live.tsx'
import { useOrganization } from '../../../app/organization/organization.tsx'
import { patchAsset, refreshAssets, removeAssets } from './asset-cache.ts'
import { assetsKey } from './asset-query.ts'

/** Changed videos are read together after this time. */
const REFRESH_MILLISECONDS = 250
/** Of more changes at once, as by a bulk operation, the first are shown; the operation reads the lists again. */
const CHANGED_MAX = 500

type AssetEvent = Extract<FeedEvent, { type: `asset.${string}` }>
const isAssetEvent = (event: FeedEvent): event is AssetEvent => event.type.startsWith('asset.')

/** Applies events to the lists of videos: a changed status is visible at once, all else after reading it. */
export function useLiveAssets(): void {
  const organization = useOrganization()
  const queryClient = useQueryClient()
  const changed = useRef(new Set<string>())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)

  const refreshSoon = (id: string) => {
    if (changed.current.size < CHANGED_MAX) changed.current.add(id)
    timer.current ??= setTimeout(async () => {
      const ids = [...changed.current]
      changed.current = new Set()
      timer.current = undefined
      await refreshAssets(queryClient, organization, ids).catch(() => {})
    }, REFRESH_MILLISECONDS)
  }

  useEvents((event) => {
    if (!isAssetEvent(event) || event.type === 'asset.progress') return
    const { id, status, title, duration } = event.data
    if (event.type === 'asset.deleted' || event.type === 'asset.purged') {
      return removeAssets(queryClient, organization, new Set([id]))
    }
    patchAsset(queryClient, organization, id, { status, title, duration })
    refreshSoon(id)
  })
  useEffect(() => () => clearTimeout(timer.current), [])
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
