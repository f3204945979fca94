import type { AssetProgress } from '../generated/contract.ts'
import type { Caller } from '../http/call.ts'
import { followedEvents } from './stream.ts'

type Listener = {
  readonly assetId: string
  /** Something happened to the asset, or may have while nobody listened. */
  readonly onNews: () => void
  readonly onProgress: (progress: AssetProgress) => void
}

type Feed = { readonly listeners: Set<Listener>; readonly end: AbortController; isLive: boolean }

/** One for all waits of a client: a page has six connections to a host, and streams would take them from calls. */
const feeds = new WeakMap<Caller, Feed>()

/** Hears of one asset until it leaves; the stream ends with the last that does. */
export function listen(
  caller: Caller,
  listener: Listener,
): { readonly isLive: () => boolean; readonly leave: () => void } {
  const feed = feeds.get(caller) ?? begun(caller)
  feed.listeners.add(listener)
  if (feed.isLive) listener.onNews()
  return {
    isLive: () => feed.isLive,
    leave: () => {
      feed.listeners.delete(listener)
      if (feed.listeners.size > 0) return
      feeds.delete(caller)
      feed.end.abort()
    },
  }
}

function begun(caller: Caller): Feed {
  const feed: Feed = { listeners: new Set(), end: new AbortController(), isLive: false }
  feeds.set(caller, feed)
  // Why there is no stream does not matter: then it is done without.
  follow(caller, feed).catch(() => {
    feed.isLive = false
  })
  return feed
}

async function follow(caller: Caller, feed: Feed): Promise<void> {
  const onOpen = () => {
    feed.isLive = true
    for (const listener of feed.listeners) listener.onNews()
  }
  const options = { signal: feed.end.signal, onOpen }
  for await (const event of followedEvents(caller, { types: 'asset.*' }, options))
    for (const listener of feed.listeners) {
      if (listener.assetId !== event.asset_id) continue
      if (event.type === 'asset.progress') listener.onProgress(event.data)
      else listener.onNews()
    }
}
