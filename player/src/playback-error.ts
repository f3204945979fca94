/** Errors shown to viewers, with advice on what to do. */
export type ErrorCode =
  | 'expired'
  | 'denied'
  | 'missing'
  | 'pending'
  | 'failed'
  | 'offline'
  | 'busy'
  | 'key'
  | 'unsupported'
  | 'broken'

export type ErrorMessage = {
  readonly heading: string
  readonly advice: string
  /** Whether to offer a retry button. */
  readonly canRetry: boolean
  /** Delay of the automatic retry. */
  readonly retrySeconds?: number
}

export const errorMessages: Record<ErrorCode, ErrorMessage> = {
  expired: {
    heading: 'This link has expired',
    advice: 'Reload the page, or ask the person who shared the link for a new one.',
    canRetry: false,
  },
  denied: {
    heading: 'You do not have access to this video',
    advice:
      'The link was revoked, was already used, or is restricted to another site or network. Ask the person who shared it for a new one.',
    canRetry: false,
  },
  missing: {
    heading: 'Video not found',
    advice: 'The video may have been deleted, or the link is incomplete. Check the link.',
    canRetry: false,
  },
  pending: {
    heading: 'Processing video',
    advice: 'Playback starts here as soon as the first part is ready. You can keep this page open.',
    canRetry: false,
    retrySeconds: 3,
  },
  failed: {
    heading: 'This video could not be processed',
    advice: 'Contact the publisher of the video.',
    canRetry: true,
  },
  offline: {
    heading: 'Connection lost',
    advice: 'Check your network connection. Playback continues when the connection is back.',
    canRetry: true,
    retrySeconds: 10,
  },
  busy: {
    heading: 'The service is busy',
    advice: 'Retrying automatically.',
    canRetry: true,
    retrySeconds: 5,
  },
  key: {
    heading: 'This protected video cannot be unlocked',
    advice: 'Reload the page, or ask the person who shared the link for a new one.',
    canRetry: true,
  },
  unsupported: {
    heading: 'This browser cannot play this video',
    advice: 'Use a current version of Chrome, Edge, Firefox or Safari.',
    canRetry: false,
  },
  broken: {
    heading: 'This video cannot be played',
    advice: 'Try again. If the problem persists, contact the publisher of the video.',
    canRetry: true,
  },
}

export class PlaybackError extends Error {
  override readonly name = 'PlaybackError'
  readonly code: ErrorCode
  /** Technical cause, for debugging. */
  readonly reason: string

  constructor(code: ErrorCode, reason: string) {
    super(errorMessages[code].heading)
    this.code = code
    this.reason = reason
  }
}

/** A refused token counts as expired if its own expiration time, which is part of the URL, has passed. */
export function errorCodeOfStatus(status: number, src: string, now: number): ErrorCode {
  if (status === 401 || status === 403 || status === 410) {
    const expiresAt = expiryOf(src)
    return expiresAt !== undefined && expiresAt <= now ? 'expired' : 'denied'
  }
  if (status === 404) return 'missing'
  if (status === 429 || status >= 500) return 'busy'
  return 'broken'
}

/** Expiration time of the playback token in the URL, in milliseconds; undefined if there is none. */
function expiryOf(src: string): number | undefined {
  const [, payload, assetToken] = /\/(?:eyJ[\w-]*\.(eyJ[\w-]*)\.[\w-]*|([\w-]{56}))\//.exec(src) ?? []
  try {
    const exp = assetToken ? expiryInAssetToken(assetToken) : JSON.parse(decoded(payload ?? '')).exp
    return typeof exp === 'number' ? exp * 1000 : undefined
  } catch {
    return undefined
  }
}

/** In the tokens of asset responses, the expiration time is the 32 bits after the version, which is 1. */
function expiryInAssetToken(token: string): number | undefined {
  const [version, ...bytes] = Array.from(decoded(token).slice(0, 5), (byte) => byte.charCodeAt(0))
  return version === 1 ? bytes.reduce((seconds, byte) => seconds * 256 + byte, 0) : undefined
}

/** Decodes base64url; each character of the result is a byte. */
const decoded = (text: string) => atob(text.replaceAll('-', '+').replaceAll('_', '/'))

/** The relevant fields of a shaka-player error. */
export type EngineError = {
  readonly category: number
  readonly code: number
  readonly data: readonly unknown[]
}

const BAD_HTTP_STATUS = 1001
const NETWORK = 1
const DRM = 6
const LICENSE_FAILED = 6007
const KEY_REQUEST_TYPES = [2, 6]
/** Error codes of shaka-player: no suitable key system, or no decoder for the video. */
const UNSUPPORTED = [6001, 6002, 6017, 6018, 4032]

export function errorCodeOfEngine(error: EngineError, src: string, now: number): ErrorCode {
  if (UNSUPPORTED.includes(error.code)) return 'unsupported'
  if (error.code === BAD_HTTP_STATUS) {
    const [, status, , , request] = error.data as [unknown, number, unknown, unknown, number]
    const code = errorCodeOfStatus(status, src, now)
    return code === 'denied' && KEY_REQUEST_TYPES.includes(request) ? 'key' : code
  }
  if (error.category === NETWORK) return 'offline'
  if (error.code === LICENSE_FAILED) {
    const [inner] = error.data as [EngineError | undefined]
    const code = inner?.data ? errorCodeOfEngine(inner, src, now) : 'key'
    return code === 'denied' || code === 'missing' ? 'key' : code
  }
  return error.category === DRM ? 'key' : 'broken'
}
