/** Parses playback URLs. Only names in the formats that we write are looked up in storage. */
import { type AssetId, isOrganizationId, type OrganizationId } from '../../kernel/ids.ts'
import type { TimelineName } from '../assets/assets.ts'

/** Prefix of playback URLs. Defined once, so that the URLs we return are the URLs we serve. */
export const PLAY_PREFIX = '/play'
/** Prefix of the access checks of edges. */
export const ACCESS_PREFIX = '/play-access'

/** The parts of a playback URL: token, organization, asset, file name. */
export type PlayPath = {
  readonly token: string
  readonly organizationId: OrganizationId
  readonly assetId: AssetId
  readonly name: string
  /** Number of the version whose files are requested; null for those of version 1 and what all versions share. */
  readonly version: number | null
}

/** Folder of a version after the asset id. Version 1 has none. */
const versionForm = /^v([1-9]\d{0,8})\/(.*)$/s

/** `url` is the part of the URL after the prefix. Undefined if it is malformed. */
export function playPathOf(url: string): PlayPath | undefined {
  const [token = '', organizationId = '', assetId = '', ...rest] = url.split('/')
  if (!isOrganizationId(organizationId) || !isAssetId(assetId)) return undefined
  const path = rest.join('/')
  const [, version, name = path] = versionForm.exec(path) ?? []
  return { token, organizationId, assetId, name, version: version === undefined ? null : Number(version) }
}

/** A file of a video, by its name in the URL. */
export type PlaybackFile =
  | { readonly kind: 'about' | 'chapters-track' | 'chapters-list' }
  | { readonly kind: 'multivariant' }
  | { readonly kind: 'dash' }
  | { readonly kind: 'media' | 'iframes'; readonly track: string }
  | { readonly kind: 'subtitles'; readonly track: string }
  | { readonly kind: 'key'; readonly period: number }
  | { readonly kind: 'content-key'; readonly kid: string }
  | { readonly kind: 'license' }
  | { readonly kind: 'download'; readonly track: string }
  | { readonly kind: 'timeline'; readonly timeline: TimelineName }
  | { readonly kind: 'captions'; readonly track: string }
  | { readonly kind: 'object'; readonly name: string; readonly type: string }

/** All kinds of playback files, for the labels of metrics. */
export const playKinds = Object.keys({
  ...{ about: true, 'chapters-track': true, 'chapters-list': true },
  ...{ multivariant: true, dash: true, media: true, iframes: true, subtitles: true },
  ...{ key: true, 'content-key': true, license: true, download: true, timeline: true, captions: true, object: true },
} satisfies Record<PlaybackFile['kind'], true>)

/** URI of a key, relative to the playlists. */
export const keyUri = (period: number) => `keys/${period}.key`

const assetIdForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

const isAssetId = (text: string): text is AssetId => assetIdForm.test(text)

/** Path of a Common Encryption key, by key id. */
const contentKeyForm = /^keys\/([0-9a-f]{32})\.bin$/
const keyForm = /^keys\/(0|[1-9]\d{0,6})\.key$/

/** Metadata files served next to the manifests of a video. */
const documents: Record<string, PlaybackFile> = {
  'about.json': { kind: 'about' },
  'chapters.vtt': { kind: 'chapters-track' },
  'chapters.json': { kind: 'chapters-list' },
  'storyboard.vtt': { kind: 'timeline', timeline: 'storyboard' },
  'filmstrip.vtt': { kind: 'timeline', timeline: 'filmstrip' },
  'waveform.gz': { kind: 'timeline', timeline: 'waveform' },
}

/** Subtitles of a part of a video. */
const captionsForm = /^captions-([0-9a-f-]{36})\.vtt$/

const subtitlesForm = /^subtitles-([a-z0-9][a-z0-9-]{0,63})\.m3u8$/
const iframesForm = /^([a-z0-9]{1,16})-iframes\.m3u8$/
/** A whole rendition with audio, for the links of `downloads/`. Segments are in a folder, so no name is both. */
const downloadForm = /^([a-z0-9]{1,16})\.mp4$/
const mediaForm = /^([a-z0-9]{1,16})\.m3u8$/

/** Uploaded subtitles, and covers that clients chose. All versions share them. */
const uploadedForm = /^(?:subtitles\/[0-9a-f-]{36}\.(?=vtt$)|covers\/[0-9a-f-]{36}\.(?=jpg$))(vtt|jpg)$/

/**
 * Path of a media file: the folder of an attempt, optionally one more folder, and the file name. Examples:
 * "video-encode-3-0123456789abcdef/240p/00000.m4s", "video-pictures-9/cover.jpg".
 */
const objectForm =
  /^[a-z][a-z0-9-]{0,62}-\d{1,10}(?:-[0-9a-f]{16})?\/(?:[a-z0-9][a-z0-9-]{0,31}\/)?[a-z0-9][a-z0-9-]{0,63}\.(m4s|mp4|vtt|jpg|gz)$/

const typesByExtension: Record<string, string> = {
  m4s: 'video/mp4',
  mp4: 'video/mp4',
  vtt: 'text/vtt; charset=utf-8',
  jpg: 'image/jpeg',
  gz: 'application/gzip',
}

/** `path` is the part of the URL after the asset id. Undefined if it is not a name that this service writes. */
export function playbackFileOf(path: string): PlaybackFile | undefined {
  const document = Object.hasOwn(documents, path) ? documents[path] : undefined
  if (document) return document
  if (path === 'master.m3u8') return { kind: 'multivariant' }
  if (path === 'manifest.mpd') return { kind: 'dash' }
  if (path === 'license') return { kind: 'license' }
  const kid = contentKeyForm.exec(path)?.[1]
  if (kid !== undefined) return { kind: 'content-key', kid }
  const period = keyForm.exec(path)?.[1]
  if (period !== undefined) return { kind: 'key', period: Number(period) }
  for (const [kind, form] of [
    ['subtitles', subtitlesForm],
    ['iframes', iframesForm],
    ['media', mediaForm],
    ['download', downloadForm],
    ['captions', captionsForm],
  ] as const) {
    const track = form.exec(path)?.[1]
    if (track !== undefined) return { kind, track }
  }
  const extension = (objectForm.exec(path) ?? uploadedForm.exec(path))?.[1]
  return extension === undefined ? undefined : { kind: 'object', name: path, type: typeOf(path, extension) }
}

/** Whether the file belongs to the asset instead of one of its versions. */
export const isOfAllVersions = (name: string) => uploadedForm.test(name)

function typeOf(name: string, extension: string): string {
  const type = typesByExtension[extension] ?? 'application/octet-stream'
  return type === 'video/mp4' && name.includes('/audio/') ? 'audio/mp4' : type
}

const segmentForm = /^([a-z0-9]{1,16})\/(\d{5,9})\.m4s$/

export type MediaFileLocation = {
  /** Folder of the attempt, with a trailing slash. */
  readonly folder: string
  /** Track and segment number are null if the file is not a segment. */
  readonly track: string | null
  readonly segment: number | null
}

/** Parses the attempt folder, track and segment number from a file name. */
export function mediaFileLocationOf(name: string): MediaFileLocation {
  const end = name.indexOf('/') + 1
  const [, track = null, number] = segmentForm.exec(name.slice(end)) ?? []
  return {
    folder: name.slice(0, end),
    track,
    segment: number === undefined ? null : Number(number),
  }
}
