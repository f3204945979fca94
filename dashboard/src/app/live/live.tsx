import { createContext, type ReactNode, use, useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react'
import type { ProgressEvent } from 'reelkeep'
import { useOrganization } from '../organization/organization.tsx'
import { meQuery, queryClient } from '../queries.ts'
import { EventFeed, type FeedEvent, type FeedState } from './event-feed.ts'

type Progress = ProgressEvent['data']

/** The last progress of each asset. A component is rendered again only for its own asset. */
class ProgressStore {
  readonly #progress = new Map<string, Progress>()
  readonly #listeners = new Map<string, Set<() => void>>()

  readonly receive = (event: FeedEvent): void => {
    if (event.type !== 'asset.progress') return
    this.#progress.set(event.asset_id, event.data)
    for (const listener of this.#listeners.get(event.asset_id) ?? []) listener()
  }

  read(assetId: string): Progress | undefined {
    return this.#progress.get(assetId)
  }

  subscribe(assetId: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(assetId) ?? new Set()
    this.#listeners.set(assetId, listeners.add(listener))
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0) this.#listeners.delete(assetId)
    }
  }
}

type Live = { readonly feed: EventFeed; readonly progress: ProgressStore }

const LiveContext = createContext<Live | undefined>(undefined)

/** Opens the event stream of the organization, if the role of the user permits it. */
export function LiveEvents({ children }: { readonly children: ReactNode }) {
  const { id, client, can } = useOrganization()
  const isPermitted = can('events:read')
  const [live, setLive] = useState<Live>()
  useEffect(() => {
    if (!isPermitted) return
    const progress = new ProgressStore()
    const feed = new EventFeed(client, id, () => void queryClient.invalidateQueries(meQuery))
    const unsubscribe = feed.subscribe(progress.receive)
    setLive({ feed, progress })
    return () => {
      unsubscribe()
      feed.close()
      setLive(undefined)
    }
  }, [client, id, isPermitted])
  return <LiveContext value={live}>{children}</LiveContext>
}

/** Calls the function for each event of the organization, of all types. */
export function useEvents(onEvent: (event: FeedEvent) => void): void {
  const feed = use(LiveContext)?.feed
  const receive = useEffectEvent(onEvent)
  useEffect(() => feed?.subscribe((event) => receive(event)), [feed])
}

const ignore = () => () => {}

/** Whether events arrive. `undefined` if the user's role does not permit them. */
export function useFeedState(): FeedState | undefined {
  const feed = use(LiveContext)?.feed
  return useSyncExternalStore(feed ? (listener) => feed.subscribeState(listener) : ignore, () => feed?.state)
}

/** Processing progress of an asset. */
export function useProgress(assetId: string): Progress | undefined {
  const progress = use(LiveContext)?.progress
  return useSyncExternalStore(progress ? (listener) => progress.subscribe(assetId, listener) : ignore, () =>
    progress?.read(assetId),
  )
}
