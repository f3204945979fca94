import type { AssetProgress } from '../generated/contract.ts'
import type { Caller } from '../http/call.ts'
import { streamEvents } from './stream.ts'

type Listener = {
  readonly assetId: string
  /** Called when the asset changed, or may have changed while the stream was not connected. */
  readonly onChange: () => void
  readonly onProgress: (progress: AssetProgress) => void
}

type SharedStream = {
  readonly listeners: Set<Listener>
  readonly end: AbortController
  isLive: boolean
}

/** Streams by client. All waits of a client share one stream, because browsers allow only six connections per host. */
const streams = new WeakMap<Caller, SharedStream>()

/** Subscribes to one asset. The stream is closed when the last listener unsubscribes. */
export function subscribe(
  caller: Caller,
  listener: Listener,
): { readonly isLive: () => boolean; readonly unsubscribe: () => void } {
  const stream = streams.get(caller) ?? openStream(caller)
  stream.listeners.add(listener)
  if (stream.isLive) listener.onChange()
  return {
    isLive: () => stream.isLive,
    unsubscribe: () => {
      stream.listeners.delete(listener)
      if (stream.listeners.size > 0) return
      streams.delete(caller)
      stream.end.abort()
    },
  }
}

function openStream(caller: Caller): SharedStream {
  const stream: SharedStream = { listeners: new Set(), end: new AbortController(), isLive: false }
  streams.set(caller, stream)
  // Without a stream, the waits poll the asset.
  run(caller, stream).catch(() => {
    stream.isLive = false
  })
  return stream
}

async function run(caller: Caller, stream: SharedStream): Promise<void> {
  const onOpen = () => {
    stream.isLive = true
    for (const listener of stream.listeners) listener.onChange()
  }
  const options = { signal: stream.end.signal, onOpen }
  for await (const event of streamEvents(caller, { types: 'asset.*' }, options))
    for (const listener of stream.listeners) {
      if (listener.assetId !== event.asset_id) continue
      if (event.type === 'asset.progress') listener.onProgress(event.data)
      else listener.onChange()
    }
}
