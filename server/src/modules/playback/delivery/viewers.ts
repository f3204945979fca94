/**
 * Limits how much of the shared resources viewers can use. Sending a media file occupies a connection to storage until
 * its last byte is read, so the time for one file is limited, and one organization cannot occupy all connections.
 *
 * A viewer may disconnect during authorization: the response is then already destroyed and emits no more `close` event.
 */
import type { ServerResponse } from 'node:http'
import type { OrganizationId } from '../../../kernel/ids.ts'
import { overloaded } from '../../../platform/db/errors/overload.ts'

/**
 * Maximum number of files that are sent to viewers of one organization concurrently, half of the 500 connections to
 * storage. Sending a file takes milliseconds.
 */
const CONCURRENT_FILES_MAX = 250

/**
 * Minimum speed of a connection. A slower one cannot play our videos, because the smallest rendition with audio needs
 * several times as much.
 */
const BITS_PER_SECOND_MIN = 64_000
const GRACE_SECONDS = 60

/** A viewer who reads nothing for this long is disconnected, which frees the connection to storage. */
const STALL_SECONDS = 60

export const sendingSecondsMax = (bytes: number) => GRACE_SECONDS + Math.ceil((bytes * 8) / BITS_PER_SECOND_MIN)

/** Counts the media files being sent, by organization. */
export class Viewers {
  readonly #filesMax: number
  readonly #files = new Map<OrganizationId, number>()

  constructor(filesMax: number = CONCURRENT_FILES_MAX) {
    this.#filesMax = filesMax
  }

  /** Takes a slot until the response ends or the viewer disconnects. Throws above the limit. */
  admit(organizationId: OrganizationId, response: ServerResponse): void {
    if (response.destroyed) return
    const files = this.#files.get(organizationId) ?? 0
    if (files >= this.#filesMax) throw overloaded()
    this.#files.set(organizationId, files + 1)
    response.once('close', () => this.#release(organizationId))
  }

  #release(organizationId: OrganizationId): void {
    const files = (this.#files.get(organizationId) ?? 0) - 1
    if (files > 0) this.#files.set(organizationId, files)
    else this.#files.delete(organizationId)
  }
}

/** One for all viewers: a new one collects a stack trace, and most connections close after the last byte. */
const disconnected = new DOMException('The viewer has disconnected.', 'AbortError')

/** Aborts when the viewer disconnects or stalls: then nothing more is read from storage. */
export function untilDisconnected(response: ServerResponse): AbortSignal {
  if (response.destroyed) return AbortSignal.abort()
  const controller = new AbortController()
  response.once('close', () => controller.abort(disconnected))
  response.setTimeout(STALL_SECONDS * 1000, () => response.destroy())
  return controller.signal
}

/** Disconnects a viewer after the given time, even if they keep reading slowly. */
export function disconnectAfter(response: ServerResponse, seconds: number): void {
  if (response.destroyed) return
  const timer = setTimeout(() => response.destroy(), seconds * 1000)
  response.once('close', () => clearTimeout(timer))
}
