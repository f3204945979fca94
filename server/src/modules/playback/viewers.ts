/**
 * Limits what viewers take of shared resources. Sending a media file occupies a connection to storage until its
 * last byte is read, so the time for one file is limited, and one organization cannot occupy all connections.
 *
 * A viewer may disconnect during authorization: the response is then already destroyed and emits no more `close`
 * event.
 */
import type { ServerResponse } from 'node:http'
import type { OrganizationId } from '../../kernel/ids.ts'
import { overloaded } from '../../platform/db/overload.ts'

/** Of 500 connections to storage. Storage and networks are fast: this serves thousands of viewers. */
const PIECES_AT_ONCE_MAX = 250

/** A slower connection cannot play our videos: the smallest rendition with audio needs several times as much. */
const BITS_PER_SECOND_MIN = 64_000
const GRACE_SECONDS = 60

/** A viewer who reads nothing for this long is disconnected, which frees the connection to storage. */
const STALL_SECONDS = 60

export const sendingSecondsMax = (bytes: number) =>
  GRACE_SECONDS + Math.ceil((bytes * 8) / BITS_PER_SECOND_MIN)

/** Counts the media files being sent, by organization. */
export class Viewers {
  readonly #piecesMax: number
  readonly #pieces = new Map<OrganizationId, number>()

  constructor(piecesMax: number = PIECES_AT_ONCE_MAX) {
    this.#piecesMax = piecesMax
  }

  /** Takes a slot until the response ends or the viewer disconnects. Throws above the limit. */
  admit(organizationId: OrganizationId, answer: ServerResponse): void {
    if (answer.destroyed) return
    const pieces = this.#pieces.get(organizationId) ?? 0
    if (pieces >= this.#piecesMax) throw overloaded()
    this.#pieces.set(organizationId, pieces + 1)
    answer.once('close', () => this.#release(organizationId))
  }

  #release(organizationId: OrganizationId): void {
    const pieces = (this.#pieces.get(organizationId) ?? 0) - 1
    if (pieces > 0) this.#pieces.set(organizationId, pieces)
    else this.#pieces.delete(organizationId)
  }
}

/** Aborts when the viewer disconnects or stalls: then nothing more is read from storage. */
export function untilHungUp(answer: ServerResponse): AbortSignal {
  if (answer.destroyed) return AbortSignal.abort()
  const controller = new AbortController()
  answer.once('close', () => controller.abort())
  answer.setTimeout(STALL_SECONDS * 1000, () => answer.destroy())
  return controller.signal
}

/** Disconnects a viewer after this time, also if they keep reading slowly and never stall. */
export function hangUpAfter(answer: ServerResponse, seconds: number): void {
  if (answer.destroyed) return
  const timer = setTimeout(() => answer.destroy(), seconds * 1000)
  answer.once('close', () => clearTimeout(timer))
}
