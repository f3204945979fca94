import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AssetId } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { secondsLeft, type Viewer } from '../playback-tokens/playback-tokens.ts'

/** An authorized request for a file of a video. */
export type PlaybackRequest = {
  readonly viewer: Viewer
  /** The id under which the files of the version in the URL are stored. */
  readonly mediaId: AssetId
  /** Whether the URL has no version, so that it leads to the version that is shown. */
  readonly isUnversioned: boolean
  /** Database handle of the video's organization. While the database is unavailable, it returns the last rows. */
  readonly db: OrganizationDb
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/** Seconds until the playback token expires; null under `open`. */
export const secondsLeftOf = ({ viewer }: Pick<PlaybackRequest, 'viewer'>) => secondsLeft(viewer, Date.now() / 1000)

/** Sends the text; only the headers for HEAD. */
export const sendText = ({ request, reply }: PlaybackRequest, text: Buffer) => {
  reply.header('Content-Length', text.length)
  return request.method === 'HEAD' ? reply.send() : reply.send(text)
}

/** ETags of If-None-Match, including weak ones, which a proxy may have created. */
export const knownEtagsOf = ({ headers }: FastifyRequest): string[] =>
  headers['if-none-match']?.match(/"[^"]{1,128}"/g) ?? []
