/**
 * Receives NOTIFY messages on a dedicated connection and reconnects when it breaks.
 *
 * Postgres does not keep notifications: those sent while the connection is down are lost. So a notification
 * is only a hint to read the data, and `onGap` is called after every connect, including the first.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from '../observability/logger.ts'
import { DatabaseServers } from './connections/database-servers.ts'
import { PrimaryClient } from './connections/primary-client.ts'

/** Exponential backoff between failed connections. */
const FIRST_PAUSE_SECONDS = 0.1
const PAUSE_SECONDS_MAX = 3

/** Interval of a keepalive query, because a dead connection may look idle. */
const CHECK_SECONDS = 10
const RESPONSE_SECONDS_MAX = 5

/** Maximum time for closing the connection. */
const END_SECONDS_MAX = 1

export type ListenerOptions = {
  readonly url: string
  readonly channels: readonly string[]
  readonly onMessage: (channel: string, payload: string) => void
  /** Called after each connect, because notifications may have been missed. */
  readonly onGap: () => void
  readonly logger: Logger
}

/** Listens until disposed; reconnects when the connection breaks. */
export function openListener(options: ListenerOptions): AsyncDisposable {
  const stopping = new AbortController()
  const ended = keepListening(options, stopping.signal)
  return {
    [Symbol.asyncDispose]: async () => {
      stopping.abort()
      await ended
    },
  }
}

async function keepListening(options: ListenerOptions, stopping: AbortSignal): Promise<void> {
  const servers = new DatabaseServers(options.url)
  let failures = 0
  while (!stopping.aborted) {
    try {
      await listen(options, { servers, stopping }, () => {
        failures = 0
      })
    } catch (error) {
      if (stopping.aborted) return
      options.logger.warn({ err: error }, 'listener connection failed; reconnecting')
      await pause(pauseSeconds(failures++), stopping)
    }
  }
}

const pauseSeconds = (failures: number) => Math.min(FIRST_PAUSE_SECONDS * 2 ** failures, PAUSE_SECONDS_MAX)

const pause = (seconds: number, stopping: AbortSignal) =>
  sleep(seconds * 1000, undefined, { signal: stopping }).catch(() => {})

/** Opens one connection and listens on it. Throws when it breaks. */
async function listen(
  { channels, onMessage, onGap }: ListenerOptions,
  { servers, stopping }: { readonly servers: DatabaseServers; readonly stopping: AbortSignal },
  onConnected: () => void,
): Promise<void> {
  const client = new PrimaryClient(
    {
      application_name: 'reelkeep listener',
      connectionTimeoutMillis: RESPONSE_SECONDS_MAX * 1000,
      query_timeout: RESPONSE_SECONDS_MAX * 1000,
      keepAlive: true,
    },
    servers,
  )
  const broken = Promise.withResolvers<never>()
  // Prevents an unhandled rejection while connecting.
  broken.promise.catch(() => {})
  client.on('error', broken.reject)
  client.on('end', () => broken.reject(new Error('Connection terminated')))
  client.on('notification', ({ channel, payload = '' }) => onMessage(channel, payload))
  try {
    await client.connect()
    for (const channel of channels) await client.query(`listen ${pg.escapeIdentifier(channel)}`)
    onConnected()
    onGap()
    while (!stopping.aborted) {
      await Promise.race([pause(CHECK_SECONDS, stopping), broken.promise])
      if (!stopping.aborted) await client.query('select')
    }
  } finally {
    await Promise.race([client.end().catch(() => {}), sleep(END_SECONDS_MAX * 1000)])
  }
}
