/** What a video is, as its own address tells. */
import { faultOfStatus, PlaybackFault } from './faults.ts'

export type Chapter = { readonly title: string; readonly start: number }

export type Subtitles = {
  readonly id: string
  readonly language: string
  readonly label: string
  readonly is_automatic: boolean
  readonly uri: string
}

/** Addresses in it are relative to where it lies. */
export type About = {
  readonly id: string
  readonly title: string
  readonly course: 'awaited' | 'growing' | 'whole' | 'stopped' | 'lost'
  readonly duration: number | null
  readonly width: number | null
  readonly height: number | null
  /** Of the pictures that there are, or will be. */
  readonly heights: readonly number[]
  readonly hls: string | null
  readonly licences: Readonly<Record<string, string>>
  readonly poster: string | null
  readonly storyboard: string | null
  readonly chapters: readonly Chapter[]
  readonly subtitles: readonly Subtitles[]
  readonly watermark: string | null
}

export type Source = {
  /** Absolute, ends with a slash. */
  readonly base: string
  readonly about: About
}

/** The folder of a video, whatever of it somebody gave: its own address, or that of a manifest in it. */
export const baseOf = (src: string) => new URL('./', new URL(src, document.baseURI)).href

const ANSWER_SECONDS_MAX = 20

export async function readAbout(base: string, signal: AbortSignal): Promise<Source> {
  const answer = await ask(new URL('about.json', base).href, signal)
  if (!answer.ok) {
    const code = faultOfStatus(answer.status, base, Date.now())
    throw new PlaybackFault(code, `about.json was answered with ${answer.status}`)
  }
  // A pass that is good for one time leads to another one: everything else lies there.
  return { base: baseOf(answer.url), about: (await answer.json()) as About }
}

async function ask(url: string, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(url, {
      credentials: 'omit',
      signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_SECONDS_MAX * 1000)]),
    })
  } catch (error) {
    signal.throwIfAborted()
    throw new PlaybackFault('offline', String(error))
  }
}

export const absolute = (uri: string, base: string) => new URL(uri, base).href
