/** The page that holds one video and nothing else, for frames on other people's pages. */
import { refused } from '../../kernel/errors.ts'
import type { AssetId, OrganizationId } from '../../kernel/ids.ts'

/** `-` is no organization: what all pages share lies there. */
export const EMBED_PREFIX = '/embed'
export const FILES_PREFIX = `${EMBED_PREFIX}/-`

/** The word that stands for "no pass", for videos that are open to everybody. */
export const OPEN = 'open'

/** What an address names, and what came with it. */
export type Viewing = {
  readonly organizationId: OrganizationId
  readonly assetId: AssetId
  /** What lets the viewer in, or `open`. */
  readonly pass: string
}

/** What may be told of a video to whoever opens its page. */
export type ShownVideo = {
  readonly title: string
  /** Absolute. */
  readonly posterUrl: string | null
  readonly width: number
  readonly height: number
  readonly durationSeconds: number | null
}

/** Far more sites than anybody lets a video be shown on, and short enough for a header. */
export const ORIGINS_MAX = 50
const ORIGIN_LENGTH_MAX = 255

/** "https://www.example.com", "https://*.example.com", with a port or without. */
const originForm = /^https?:\/\/(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::\d{1,5})?$/

/** None of them: any page may hold the player in a frame. */
export function cleanOrigins(given: readonly string[]): string[] {
  const origins = [...new Set(given.map((origin) => origin.trim().toLowerCase()))]
  const wrong = origins.find(
    (origin) => origin.length > ORIGIN_LENGTH_MAX || !originForm.test(origin),
  )
  if (wrong !== undefined) {
    const detail = `${wrong} is no origin such as https://www.example.com or https://*.example.com.`
    throw refused('invalid_request', detail, 'origin')
  }
  if (origins.length > ORIGINS_MAX) {
    throw refused('invalid_request', `There are at most ${ORIGINS_MAX} origins.`, 'origin')
  }
  return origins
}

export type Origins = {
  /** Where the page, its script and the videos come from. */
  readonly publicUrl: string
  readonly playbackUrl: string
  /** Where licences come from if not from us. */
  readonly licenceUrls: readonly string[]
}

const originOf = (url: string) => new URL(url).origin

/**
 * Nothing is loaded but the player and the video, nothing is sent anywhere else. `styleHash` is
 * that of the one style in the page.
 */
export function contentPolicy(
  { publicUrl, playbackUrl, licenceUrls }: Origins,
  frameAncestors: readonly string[],
  styleHash: string,
): string {
  const videos = originOf(playbackUrl)
  return [
    "default-src 'none'",
    `script-src ${originOf(publicUrl)}`,
    `style-src 'sha256-${styleHash}'`,
    `connect-src ${[...new Set([videos, ...licenceUrls.map(originOf)])].join(' ')}`,
    `img-src data: ${videos}`,
    `media-src blob: ${videos}`,
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${frameAncestors.length > 0 ? frameAncestors.join(' ') : '*'}`,
  ].join('; ')
}

/** Everything of a video lies under this. */
export const playFolder = (playbackUrl: string, { organizationId, assetId, pass }: PlayPlace) =>
  `${playbackUrl}/${pass}/${organizationId}/${assetId}/`

type PlayPlace = Omit<Viewing, 'pass'> & { readonly pass: string }

export const embedUrl = (publicUrl: string, { organizationId, assetId, pass }: Viewing) =>
  `${publicUrl}${EMBED_PREFIX}/${organizationId}/${assetId}/${pass === OPEN ? '' : `?token=${encodeURIComponent(pass)}`}`

const embedPathForm =
  /^\/embed\/([a-z0-9]{6,12})\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\/?$/

/** What an address of one of our pages names; undefined of any other. */
export function viewingOf(url: string, publicUrl: string): Viewing | undefined {
  const parsed = url.startsWith(`${publicUrl}/`) ? URL.parse(url) : null
  const path = parsed?.pathname.slice(new URL(publicUrl).pathname.replace(/\/$/, '').length) ?? ''
  const [, organizationId, assetId] = embedPathForm.exec(path) ?? []
  if (!parsed || organizationId === undefined || assetId === undefined) return undefined
  return {
    organizationId: organizationId as OrganizationId,
    assetId: assetId as AssetId,
    pass: parsed.searchParams.get('token') ?? OPEN,
  }
}

export type Size = { readonly width: number; readonly height: number }

/** As wide as pages often are, unless less is asked for; never another shape than the video's. */
const WIDTH_USUAL = 800

export function frameSize(video: Size, most: Partial<Size>): Size {
  const width = Math.min(most.width ?? WIDTH_USUAL, Number.POSITIVE_INFINITY)
  const scale = Math.min(
    width / video.width,
    (most.height ?? Number.POSITIVE_INFINITY) / video.height,
  )
  return {
    width: Math.max(1, Math.floor(video.width * scale)),
    height: Math.max(1, Math.floor(video.height * scale)),
  }
}

export const noSuchVideo = () =>
  refused('not_found', 'There is no video at this address that could be shown.')
