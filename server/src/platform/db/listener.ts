/**
 * Hears what is told by NOTIFY, on one connection of its own, for as long as it is open.
 *
 * Postgres keeps nothing for who is not there: what is told while the connection is down is lost.
 * So a notification is no more than a reason to look, and after every connection, the first one
 * too, `onGap` says that something may have been missed.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from '../observability/logger.ts'

/** Pauses between connections that fail double from the first to the last. */
const FIRST_PAUSE_SECONDS = 0.1
const PAUSE_SECONDS_MAX = 3

/** A connection that says nothing may be dead: a network can lose it without a word. So it is asked this often. */
const CHECK_SECONDS = 10
const ANSWER_SECONDS_MAX = 5

/** A connection that does not even end is left to itself after this. */
const END_SECONDS_MAX = 1

export type ListenerOptions = {
  readonly url: string
  readonly channels: readonly string[]
  readonly onMessage: (channel: string, payload: string) => void
  /** Something may have been told while nobody listened. Called after each connection. */
  readonly onGap: () => void
  readonly logger: Logger
}

/** Listens until disposed of, through whatever happens to the connection. */
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
  let failures = 0
  while (!stopping.aborted) {
    try {
      await listen(options, stopping, () => {
        failures = 0
      })
    } catch (error) {
      if (stopping.aborted) return
      options.logger.warn({ err: error }, 'the connection that listens broke')
      await pause(pauseSeconds(failures++), stopping)
    }
  }
}

const pauseSeconds = (failures: number) =>
  Math.min(FIRST_PAUSE_SECONDS * 2 ** failures, PAUSE_SECONDS_MAX)

const pause = (seconds: number, stopping: AbortSignal) =>
  sleep(seconds * 1000, undefined, { signal: stopping }).catch(() => {})

/** One connection, from its beginning to its end. Throws when it breaks. */
async function listen(
  { url, channels, onMessage, onGap }: ListenerOptions,
  stopping: AbortSignal,
  onConnected: () => void,
): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'reelkeep listener',
    connectionTimeoutMillis: ANSWER_SECONDS_MAX * 1000,
    query_timeout: ANSWER_SECONDS_MAX * 1000,
    keepAlive: true,
  })
  const broken = Promise.withResolvers<never>()
  // Nobody waits for it yet while the connection is made.
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
