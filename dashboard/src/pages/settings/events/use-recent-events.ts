import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ReelkeepEvent } from 'reelkeep'
import type { FeedEvent } from '../../../app/live/event-feed.ts'
import { useEvents } from '../../../app/live/live.tsx'
import { useOrganization } from '../../../app/organization/organization.tsx'

/** Number of events that the page shows. */
const EVENTS_SHOWN_MAX = 200

/** The latest events of a type, or of all types if it is empty, newest first. New ones are added as they happen. */
export function useRecentEvents(type: string) {
  const { id, client } = useOrganization()
  const [live, setLive] = useState<readonly ReelkeepEvent[]>([])
  useEvents((event: FeedEvent) => {
    if (event.type !== 'asset.progress') setLive((shown) => [event, ...shown].slice(0, EVENTS_SHOWN_MAX))
  })
  const { data, isPending, error, refetch } = useQuery({
    queryKey: ['o', id, 'events', type],
    queryFn: async ({ signal }) => {
      const query = { last: 1000, limit: 1000, ...(type && { types: type }) }
      return (await client.events.list(query, { signal })).results.reverse()
    },
    staleTime: 0,
  })
  const stored = data ?? []
  const known = new Set(stored.map(({ number }) => number))
  const newer = live.filter((event) => isOfType(event.type, type) && !known.has(event.number))
  const events = [...newer, ...stored].sort((one, other) => other.number - one.number).slice(0, EVENTS_SHOWN_MAX)
  return { events, isPending, error, retry: () => void refetch() }
}

const isOfType = (type: string, wanted: string) =>
  wanted === '' || type === wanted || (wanted.endsWith('.*') && type.startsWith(wanted.slice(0, -1)))
