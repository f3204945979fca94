/** Reads `about.json`, the description of a video at its playback URL. */
import { errorCodeOfStatus, PlaybackError } from './playback-error.ts'

export type Chapter = { readonly title: string; readonly start: number }

export type Subtitles = {
  readonly id: string
  readonly language: string
  readonly label: string
  readonly is_automatic: boolean
  readonly uri: string
}

export type FrameRate = { readonly numerator: number; readonly denominator: number }

/** The content of `about.json`. Its URLs are relative to the URL of `about.json`. */
export type About = {
  readonly id: string
  readonly title: string
  readonly status: 'pending' | 'processing' | 'complete' | 'incomplete' | 'failed'
  readonly duration: number | null
  /** Seconds of the playlists before the first frame of the video; absent from an older server. */
  readonly start_offset?: number
  readonly width: number | null
  readonly height: number | null
  /** Frame rate of all renditions; null until the file has been probed, absent from an older server. */
  readonly frame_rate?: FrameRate | null
  /** Heights of all renditions, including those still being encoded. */
  readonly heights: readonly number[]
  readonly hls: string | null
  readonly licenses: Readonly<Record<string, string>>
  readonly poster: string | null
  readonly storyboard: string | null
  readonly chapters: readonly Chapter[]
  readonly subtitles: readonly Subtitles[]
  readonly watermark: string | null
}

export type Source = {
  /** Base URL of the video: an absolute URL that ends with a slash. */
  readonly base: string
  readonly about: About
}

/** The base URL of a video, given its playback URL or the URL of a manifest. */
export const baseOf = (src: string) => new URL('./', new URL(src, document.baseURI)).href

const TIMEOUT_SECONDS = 20

export async function readAbout(base: string, signal: AbortSignal): Promise<Source> {
  const response = await request(new URL('about.json', base).href, signal)
  if (!response.ok) {
    const code = errorCodeOfStatus(response.status, base, Date.now())
    throw new PlaybackError(code, `about.json: HTTP status ${response.status}`)
  }
  // A single-use token redirects to a URL with another token, which serves all other files.
  return { base: baseOf(response.url), about: (await response.json()) as About }
}

async function request(url: string, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(url, {
      credentials: 'omit',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_SECONDS * 1000)]),
    })
  } catch (error) {
    signal.throwIfAborted()
    throw new PlaybackError('offline', String(error))
  }
}

export const absolute = (uri: string, base: string) => new URL(uri, base).href
