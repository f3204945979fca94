/**
 * Limits concurrent downloads. A download takes minutes instead of milliseconds, so it counts apart from the files of
 * viewers, and downloads cannot take the connections to storage that viewers need.
 */
import type { ServerResponse } from 'node:http'
import { retryLater } from '../../../kernel/errors.ts'
import type { OrganizationId } from '../../../kernel/ids.ts'

/** Maximum number of downloads of one instance: a fifth of its 500 connections to storage. */
const DOWNLOADS_MAX = 100
const DOWNLOADS_PER_ORGANIZATION_MAX = 20
const RETRY_SECONDS = 10

export class DownloadLimit {
  readonly #max: number
  readonly #perOrganizationMax: number
  readonly #counts = new Map<OrganizationId, number>()
  #total = 0

  constructor(max: number = DOWNLOADS_MAX, perOrganizationMax: number = DOWNLOADS_PER_ORGANIZATION_MAX) {
    this.#max = max
    this.#perOrganizationMax = perOrganizationMax
  }

  /** Takes a slot until the response ends or the client disconnects. Throws above a limit. */
  admit(organizationId: OrganizationId, response: ServerResponse): void {
    if (response.destroyed) return
    const count = this.#counts.get(organizationId) ?? 0
    if (count >= this.#perOrganizationMax || this.#total >= this.#max) throw tooManyDownloads()
    this.#counts.set(organizationId, count + 1)
    this.#total++
    response.once('close', () => this.#release(organizationId))
  }

  #release(organizationId: OrganizationId): void {
    const count = (this.#counts.get(organizationId) ?? 0) - 1
    if (count > 0) this.#counts.set(organizationId, count)
    else this.#counts.delete(organizationId)
    this.#total--
  }
}

const tooManyDownloads = () =>
  retryLater('unavailable', `Too many downloads are running. Retry in ${RETRY_SECONDS} seconds.`, RETRY_SECONDS)
