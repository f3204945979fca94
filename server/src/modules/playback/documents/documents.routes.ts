import type { FastifyReply } from 'fastify'
import { mediaIdOf } from '../../assets/assets.ts'
import { writeChapterTrack } from '../../chapters/chapters.ts'
import { findLicenseServers } from '../../content-keys/content-keys.ts'
import { assertOpens } from '../../playback-tokens/playback-tokens.ts'
import { type PlaybackRequest, sendText } from '../playback-request.ts'
import type { PlaybackFile } from '../playback-urls.rules.ts'
import { type Contents, readContents } from './documents.ts'
import { type ForViewer, toAbout, toAppleChapters } from './documents.wire.ts'

type DocumentKind = 'about' | 'chapters-track' | 'chapters-list'
type DocumentFile = Extract<PlaybackFile, { kind: DocumentKind }>

export const isDocument = (file: PlaybackFile): file is DocumentFile => Object.hasOwn(types, file.kind)

/** Reads the document for this viewer. Returns the function that sends it. */
export async function documentFor(
  licenseUrls: Readonly<Record<string, string>>,
  playbackRequest: PlaybackRequest,
  { kind }: DocumentFile,
): Promise<() => FastifyReply> {
  const { db, viewer, reply } = playbackRequest
  const contents = await readContents(db, viewer.assetId)
  assertOpens(viewer, contents.asset.contentProtection)
  const licenses = await findLicenseServers(licenseUrls, db, { id: mediaIdOf(contents.asset) })
  const watermark = viewer.token === 'open' ? undefined : viewer.token.watermark
  const text = Buffer.from(write(kind, contents, { watermark: watermark ?? null, licenses }))
  return () => {
    // The document is not cached: the watermark differs per viewer, and the title may change at any time.
    reply.header('Cache-Control', 'no-store').header('Content-Type', types[kind])
    return sendText(playbackRequest, text)
  }
}

function write(kind: DocumentKind, contents: Contents, forViewer: ForViewer): string {
  if (kind === 'about') return JSON.stringify(toAbout(contents, forViewer))
  // Without a duration there are no chapters.
  const { leadSeconds, durationSeconds } = contents
  // These two have the times of the manifests.
  const chapters = contents.chapters.map(({ title, startSeconds }) => ({
    title,
    startSeconds: startSeconds + leadSeconds,
  }))
  const endSeconds = leadSeconds + (durationSeconds ?? 0)
  if (kind === 'chapters-track') return writeChapterTrack(chapters, endSeconds)
  return JSON.stringify(toAppleChapters(chapters, endSeconds))
}

const types: Record<DocumentKind, string> = {
  about: 'application/json; charset=utf-8',
  'chapters-track': 'text/vtt; charset=utf-8',
  'chapters-list': 'application/json; charset=utf-8',
}
