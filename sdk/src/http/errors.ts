/** Error body of the service (RFC 9457). */
export type Problem = {
  readonly type: string
  readonly title: string
  readonly status: number
  /** Explains what went wrong and what to do next. */
  readonly detail: string
  /** Stable error code, for use in programs. */
  readonly code: string
  readonly errors: readonly FieldError[]
  readonly request_id: string
}

export type FieldError = { readonly field: string; readonly code: string; readonly detail: string }

/**
 * Base class of all errors that this library throws, except the reason of an aborted signal and errors thrown by
 * callbacks. Names are assigned explicitly because minifiers rename classes.
 */
export class ReelkeepError extends Error {
  override name = 'ReelkeepError'
}

/** The service returned an error. Subclasses group errors by status; `code` is more specific. */
export class ApiError extends ReelkeepError {
  override name = 'ApiError'
  readonly status: number
  readonly code: string
  /** All violations in the request, with their fields. */
  readonly errors: readonly FieldError[]
  /** The field of the first violation, if it has one. */
  readonly field: string | undefined
  /** Identifies the request in the service's log. Empty if the response had none. */
  readonly requestId: string
  /** Value of the `Retry-After` header. */
  readonly retryAfterSeconds: number | undefined

  constructor(problem: Problem, retryAfterSeconds?: number) {
    super(problem.detail)
    this.status = problem.status
    this.code = problem.code
    this.errors = problem.errors
    this.field = problem.errors[0]?.field
    this.requestId = problem.request_id
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** 400, 405, 413, 415, 431: the request is invalid. */
export class InvalidRequestError extends ApiError {
  override name = 'InvalidRequestError'
}
/** 401: no token, or an invalid one. */
export class AuthenticationError extends ApiError {
  override name = 'AuthenticationError'
}
/** 403: the token lacks a scope. */
export class PermissionError extends ApiError {
  override name = 'PermissionError'
}
/** 404: the object does not exist. */
export class NotFoundError extends ApiError {
  override name = 'NotFoundError'
}
/** 409, 412: the request conflicts with the current state. */
export class ConflictError extends ApiError {
  override name = 'ConflictError'
}
/** 410: the object is no longer available. */
export class GoneError extends ApiError {
  override name = 'GoneError'
}
/** 429: too many requests. */
export class RateLimitError extends ApiError {
  override name = 'RateLimitError'
}
/** 5xx, or a response that is not from Reelkeep. */
export class ServerError extends ApiError {
  override name = 'ServerError'
}

/** There was no response: the service or the network is unavailable. */
export class ConnectionError extends ReelkeepError {
  override name = 'ConnectionError'
}
/** There was no response within the timeout. */
export class TimeoutError extends ConnectionError {
  override name = 'TimeoutError'
}

/** The video was not ready in time, although the service responds. */
export class WaitTimeoutError extends ReelkeepError {
  override name = 'WaitTimeoutError'
}

/** The video will not become ready: processing failed or was cancelled, or the asset was deleted. */
export class ProcessingError extends ReelkeepError {
  override name = 'ProcessingError'
  readonly assetId: string
  /** The code of the asset's `video.error`, or `cancelled` or `deleted`. */
  readonly code: string
  /** Explains what went wrong and what to do next. */
  readonly detail: string

  constructor(assetId: string, { code, detail }: { code: string; detail: string }) {
    super(`Asset ${assetId}: ${detail}`)
    this.assetId = assetId
    this.code = code
    this.detail = detail
  }
}

/** A webhook request that was not signed by Reelkeep, or that is too old. */
export class SignatureError extends ReelkeepError {
  override name = 'SignatureError'
}

const classes: Record<number, typeof ApiError> = {
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  410: GoneError,
  412: ConflictError,
  429: RateLimitError,
}

/** Converts a response that is not 2xx to an error. Proxies may return bodies in other formats. */
export async function toApiError(response: Response): Promise<ApiError> {
  const { status, headers } = response
  const text = await response.text().catch(() => '')
  // Browsers report the status of a redirect as 0.
  if (status < 400) return new ServerError(redirectProblem(response))
  const Kind = classes[status] ?? (status >= 500 ? ServerError : InvalidRequestError)
  return new Kind({ ...unexpectedResponse(response), ...parseProblem(text), status }, retryAfter(headers))
}

/** Parses a problem document. Undefined for any other body; gateways also return JSON. */
function parseProblem(text: string): Problem | undefined {
  try {
    const value: Partial<Problem> | null = JSON.parse(text)
    if (typeof value?.code !== 'string' || typeof value.detail !== 'string') return undefined
    return { ...value, errors: Array.isArray(value.errors) ? value.errors : [] } as Problem
  } catch {
    return undefined
  }
}

/** Redirects are not followed: the token is only for this URL, and a redirected POST may become a GET. */
const redirectProblem = (response: Response): Problem => ({
  ...unexpectedResponse(response),
  detail: `${response.url || 'The service'} redirects to ${response.headers.get('location') ?? 'another URL'}. Set \`url\` to the final URL of the service; often it must start with https:// instead of http://.`,
})

/** Describes a response that is not from Reelkeep. */
export const unexpectedResponse = ({
  status,
  statusText,
  url,
  headers,
}: Pick<Response, 'status' | 'statusText' | 'url'> & { headers?: Headers }): Problem => ({
  type: 'about:blank',
  title: statusText,
  status,
  detail: `${url} responded with ${status} ${statusText}, but the response is not from Reelkeep. Check whether the URL belongs to the service or to a proxy in front of it.`,
  code: 'unexpected_response',
  errors: [],
  request_id: headers?.get('x-request-id') ?? '',
})

/** Returns the `Retry-After` header in seconds; the header contains seconds or a date. */
function retryAfter(headers: Headers): number | undefined {
  const value = headers.get('retry-after')
  if (value === null) return undefined
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}
