/** The embed page: one video in an iframe on another site. */
import { refused } from '../../kernel/errors.ts'
import type { AssetId, OrganizationId } from '../../kernel/ids.ts'

/** Shared files are under `-`, which cannot be an organization id. */
export const EMBED_PREFIX = '/embed'
export const FILES_PREFIX = `${EMBED_PREFIX}/-`

/** Used in URLs instead of a playback token, for public videos. */
export const OPEN = 'open'

/** A request for the embed page of a video. */
export type EmbedRequest = {
  readonly organizationId: OrganizationId
  readonly assetId: AssetId
  /** The playback token, or `open`. */
  readonly token: string
}

/** Metadata of a video that the viewer may see. */
export type ShownVideo = {
  readonly title: string
  /** Absolute URL. */
  readonly posterUrl: string | null
  /** Storage key of the image at that URL. */
  readonly posterKey: string | null
  readonly width: number
  readonly height: number
  readonly durationSeconds: number | null
}

export type Origins = {
  /** URL of the embed page and its script. `playbackUrl` is the URL of the videos. */
  readonly publicUrl: string
  readonly playbackUrl: string
  /** License servers of the DRM provider. */
  readonly licenseUrls: readonly string[]
}

const originOf = (url: string) => new URL(url).origin

/**
 * Allows only the player, the video and its license servers. `styleHash` is the hash of the page's inline style. If
 * there are no frame ancestors, every page may embed the player. `frame-ancestors *` would exclude pages opened from
 * disk (`file:`).
 */
export function contentSecurityPolicy(
  { publicUrl, playbackUrl, licenseUrls }: Origins,
  frameAncestors: readonly string[],
  styleHash: string,
): string {
  const videos = originOf(playbackUrl)
  return [
    "default-src 'none'",
    `script-src ${originOf(publicUrl)}`,
    `style-src 'sha256-${styleHash}'`,
    `connect-src ${[...new Set([videos, ...licenseUrls.map(originOf)])].join(' ')}`,
    `img-src data: ${videos}`,
    `media-src blob: ${videos}`,
    "base-uri 'none'",
    "form-action 'none'",
    ...(frameAncestors.length > 0 ? [`frame-ancestors ${frameAncestors.join(' ')}`] : []),
  ].join('; ')
}

/** URL prefix of all playback files of a video. */
export const playbackFolder = (playbackUrl: string, { organizationId, assetId, token }: EmbedRequest) =>
  `${playbackUrl}/${token}/${organizationId}/${assetId}/`

export const embedUrl = (publicUrl: string, { organizationId, assetId, token }: EmbedRequest) =>
  `${publicUrl}${EMBED_PREFIX}/${organizationId}/${assetId}/${token === OPEN ? '' : `?token=${encodeURIComponent(token)}`}`

const embedPathForm = /^\/embed\/([a-z0-9]{6,12})\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\/?$/

/** Parses the URL of an embed page; undefined for any other URL. */
export function embedRequestOf(url: string, publicUrl: string): EmbedRequest | undefined {
  const parsed = url.startsWith(`${publicUrl}/`) ? URL.parse(url) : null
  const path = parsed?.pathname.slice(new URL(publicUrl).pathname.replace(/\/$/, '').length) ?? ''
  const [, organizationId, assetId] = embedPathForm.exec(path) ?? []
  if (!parsed || organizationId === undefined || assetId === undefined) return undefined
  return {
    organizationId: organizationId as OrganizationId,
    assetId: assetId as AssetId,
    token: parsed.searchParams.get('token') ?? OPEN,
  }
}

export type Size = { readonly width: number; readonly height: number }

/** Default width of the frame. The frame always has the aspect ratio of the video. */
const DEFAULT_WIDTH = 800

export function frameSize(video: Size, max: Partial<Size>): Size {
  const width = Math.min(max.width ?? DEFAULT_WIDTH, Number.POSITIVE_INFINITY)
  const scale = Math.min(width / video.width, (max.height ?? Number.POSITIVE_INFINITY) / video.height)
  return {
    width: Math.max(1, Math.floor(video.width * scale)),
    height: Math.max(1, Math.floor(video.height * scale)),
  }
}

export const noSuchVideo = () => refused('not_found', 'There is no playable video at this URL. Check the URL.')
