/** What can go wrong for a viewer, and what to tell them: never a code, always what to do. */
export type FaultCode =
  | 'expired'
  | 'denied'
  | 'missing'
  | 'awaited'
  | 'lost'
  | 'offline'
  | 'busy'
  | 'key'
  | 'unsupported'
  | 'broken'

export type FaultWords = {
  readonly heading: string
  readonly advice: string
  /** Whether trying again can help at all. */
  readonly canRetry: boolean
  /** It is tried again without anybody asking, after so many seconds. */
  readonly retrySeconds?: number
}

export const faultWords: Record<FaultCode, FaultWords> = {
  expired: {
    heading: 'This link has expired',
    advice: 'Reload the page it is on, or ask whoever sent it to you for a new one.',
    canRetry: false,
  },
  denied: {
    heading: 'This video cannot be watched here',
    advice:
      'The link is meant for another page or person, was used already, or was withdrawn. Ask whoever sent it to you for a new one.',
    canRetry: false,
  },
  missing: {
    heading: 'This video is not there',
    advice: 'It may have been deleted, or the address is not complete. Check the link.',
    canRetry: false,
  },
  awaited: {
    heading: 'This video is being prepared',
    advice: 'It starts here as soon as its beginning is ready. You can leave this page open.',
    canRetry: false,
    retrySeconds: 3,
  },
  lost: {
    heading: 'This video could not be prepared',
    advice: 'Ask whoever published it: they can see why, and try once more.',
    canRetry: true,
  },
  offline: {
    heading: 'The connection is gone',
    advice: 'Check your network. The video goes on where it was when you are back.',
    canRetry: true,
    retrySeconds: 10,
  },
  busy: {
    heading: 'The service is busy',
    advice: 'It is tried again in a moment; you need not do anything.',
    canRetry: true,
    retrySeconds: 5,
  },
  key: {
    heading: 'The key to this video was refused',
    advice:
      'It is protected, and this link no longer opens it. Reload the page, or ask whoever sent it to you for a new link.',
    canRetry: true,
  },
  unsupported: {
    heading: 'This browser cannot play the video',
    advice: 'Use a current version of Chrome, Edge, Firefox or Safari.',
    canRetry: false,
  },
  broken: {
    heading: 'The video cannot be played',
    advice: 'A part of it could not be read. Try again; if it stays so, tell whoever published it.',
    canRetry: true,
  },
}

export class PlaybackFault extends Error {
  override readonly name = 'PlaybackFault'
  readonly code: FaultCode
  /** What we know of the reason, for whoever looks into it. */
  readonly reason: string

  constructor(code: FaultCode, reason: string) {
    super(faultWords[code].heading)
    this.code = code
    this.reason = reason
  }
}

/** Of an answer that is none. A refusal says why only through the address that was refused. */
export function faultOfStatus(status: number, src: string, now: number): FaultCode {
  if (status === 401 || status === 403 || status === 410) {
    const expiresAt = expiryOf(src)
    return expiresAt !== undefined && expiresAt <= now ? 'expired' : 'denied'
  }
  if (status === 404) return 'missing'
  if (status === 429 || status >= 500) return 'busy'
  return 'broken'
}

/** In milliseconds, as the pass in an address says; undefined if there is none that says it. */
function expiryOf(src: string): number | undefined {
  const payload = /\/eyJ[\w-]*\.(eyJ[\w-]*)\.[\w-]*\//.exec(src)?.[1]
  if (payload === undefined) return undefined
  try {
    const claims = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))) as {
      exp?: unknown
    }
    return typeof claims.exp === 'number' ? claims.exp * 1000 : undefined
  } catch {
    return undefined
  }
}

/** As much of an error of the engine as is looked at. */
export type EngineError = {
  readonly category: number
  readonly code: number
  readonly data: readonly unknown[]
}

const BAD_HTTP_STATUS = 1001
const NETWORK = 1
const DRM = 6
const LICENCE_FAILED = 6007
const REQUESTS_FOR_KEYS = [2, 6]
/** No key system, or none with what the video asks for; a video that cannot be decoded here. */
const UNSUPPORTED = [6001, 6002, 6017, 6018, 4032]

export function faultOfEngine(error: EngineError, src: string, now: number): FaultCode {
  if (UNSUPPORTED.includes(error.code)) return 'unsupported'
  if (error.code === BAD_HTTP_STATUS) {
    const [, status, , , request] = error.data as [unknown, number, unknown, unknown, number]
    const fault = faultOfStatus(status, src, now)
    return fault === 'denied' && REQUESTS_FOR_KEYS.includes(request) ? 'key' : fault
  }
  if (error.category === NETWORK) return 'offline'
  if (error.code === LICENCE_FAILED) {
    const [inner] = error.data as [EngineError | undefined]
    const fault = inner?.data ? faultOfEngine(inner, src, now) : 'key'
    return fault === 'denied' || fault === 'missing' ? 'key' : fault
  }
  return error.category === DRM ? 'key' : 'broken'
}
