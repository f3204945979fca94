import type { FastifyReply } from 'fastify'
import type { MediaBucket } from '../../../platform/storage/media-bucket.ts'
import { assertOpens } from '../../playback-tokens/playback-tokens.ts'
import { untilDisconnected } from '../delivery/viewers.ts'
import { type PlaybackRequest, sendText } from '../playback-request.ts'
import type { PlaybackFile } from '../playback-urls.rules.ts'
import { readCaptions, readTimeline, requirePart } from './part-documents.ts'

type PartFile = Extract<PlaybackFile, { kind: 'timeline' | 'captions' }>

export const isPartFile = (file: PlaybackFile): file is PartFile => file.kind === 'timeline' || file.kind === 'captions'

/** Sends a file of a part of a video. It is not cached, because the trim may change at any time. */
export async function sendPartFile(
  media: MediaBucket,
  playbackRequest: PlaybackRequest,
  file: PartFile,
): Promise<FastifyReply> {
  const { db, viewer, reply } = playbackRequest
  const asset = await requirePart(db, viewer.assetId)
  assertOpens(viewer, asset.contentProtection)
  const body =
    file.kind === 'captions'
      ? await readCaptions(media, db, asset, file.track)
      : await readTimeline(media, db, asset, file.timeline, untilDisconnected(reply.raw))
  const isWaveform = file.kind === 'timeline' && file.timeline === 'waveform'
  reply
    .header('Cache-Control', 'no-store')
    .header('Content-Type', isWaveform ? 'application/gzip' : 'text/vtt; charset=utf-8')
  return sendText(playbackRequest, body)
}
