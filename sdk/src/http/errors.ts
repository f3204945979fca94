/** What the service said, as RFC 9457 has it. */
export type Problem = {
  readonly type: string
  readonly title: string
  readonly status: number
  /** What went wrong and what to do next. */
  readonly detail: string
  /** Stable name of the fault: write programs against it. */
  readonly code: string
  readonly errors: readonly FieldFault[]
  readonly request_id: string
}

export type FieldFault = { readonly field: string; readonly code: string; readonly detail: string }

/**
 * What this library throws, but for the reason of a signal that was aborted, and for what a
 * callback throws. Names are written out: where code is minified, classes have none.
 */
export class ReelkeepError extends Error {
  override name = 'ReelkeepError'
}

/** The service refused, and said why. Its subclasses are the kinds there are; `code` is finer. */
export class ApiError extends ReelkeepError {
  override name = 'ApiError'
  readonly status: number
  readonly code: string
  /** Every fault of the request, with the field it lies in. */
  readonly errors: readonly FieldFault[]
  /** The first of these fields, if the fault lies in one. */
  readonly field: string | undefined
  /** Quote it to whoever runs the service: it finds the request in the log. Empty if the answer bore none. */
  readonly requestId: string
  /** How long the service asks to be left alone. */
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

/** 400, 405, 413, 415, 431: the request is not one that can be answered. */
export class InvalidRequestError extends ApiError {
  override name = 'InvalidRequestError'
}
/** 401: there is no token, or it is not valid any more. */
export class AuthenticationError extends ApiError {
  override name = 'AuthenticationError'
}
/** 403: the token lacks a scope. */
export class PermissionError extends ApiError {
  override name = 'PermissionError'
}
/** 404 */
export class NotFoundError extends ApiError {
  override name = 'NotFoundError'
}
/** 409: it does not fit what is there. */
export class ConflictError extends ApiError {
  override name = 'ConflictError'
}
/** 410: it was there, and is not kept any more. */
export class GoneError extends ApiError {
  override name = 'GoneError'
}
/** 429 */
export class RateLimitError extends ApiError {
  override name = 'RateLimitError'
}
/** 5xx: a fault of the service, or of what it depends on. */
export class ServerError extends ApiError {
  override name = 'ServerError'
}

/** No answer came: the service is away, or the line is. */
export class ConnectionError extends ReelkeepError {
  override name = 'ConnectionError'
}
/** No answer came in time. */
export class TimeoutError extends ConnectionError {
  override name = 'TimeoutError'
}

/** A video that was waited for has not come in time, though the service answers. */
export class WaitTimeoutError extends ReelkeepError {
  override name = 'WaitTimeoutError'
}

/** A video that was waited for will not come: it failed, was cancelled, or was deleted. */
export class ProcessingError extends ReelkeepError {
  override name = 'ProcessingError'
  readonly assetId: string
  /** As `video.error` of the asset has it; `cancelled` or `deleted` if somebody did that. */
  readonly code: string
  /** What went wrong and what to do next. */
  readonly detail: string

  constructor(assetId: string, { code, detail }: { code: string; detail: string }) {
    super(`Asset ${assetId}: ${detail}`)
    this.assetId = assetId
    this.code = code
    this.detail = detail
  }
}

/** A request to your webhook that is not from Reelkeep, or not from now. */
export class SignatureError extends ReelkeepError {
  override name = 'SignatureError'
}

const kinds: Record<number, typeof ApiError> = {
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  410: GoneError,
  429: RateLimitError,
}

/** From an answer that is not 2xx. What stands in between may answer in forms of its own. */
export async function toApiError(answer: Response): Promise<ApiError> {
  const { status, headers } = answer
  const text = await answer.text().catch(() => '')
  // Browsers keep the status of a redirect to themselves, and answer zero.
  if (status < 400) return new ServerError(redirected(answer))
  const Kind = kinds[status] ?? (status >= 500 ? ServerError : InvalidRequestError)
  return new Kind({ ...unexpected(answer), ...problemIn(text), status }, retryAfter(headers))
}

/** Gateways speak JSON as well, and have codes of their own. */
function problemIn(text: string): Problem | undefined {
  try {
    const value: Partial<Problem> | null = JSON.parse(text)
    if (typeof value?.code !== 'string' || typeof value.detail !== 'string') return undefined
    return { ...value, errors: Array.isArray(value.errors) ? value.errors : [] } as Problem
  } catch {
    return undefined
  }
}

/** Nobody is followed elsewhere: the token is for this address, and on the way a POST may become a GET. */
const redirected = (answer: Response): Problem => ({
  ...unexpected(answer),
  detail: `${answer.url || 'The service'} sends its callers on to ${answer.headers.get('location') ?? 'another address'}. The url of Reelkeep must be the one that answers itself; mostly it is to begin with https:// instead of http://.`,
})

/** What an answer says that is not one of ours. */
export const unexpected = ({
  status,
  statusText,
  url,
  headers,
}: Pick<Response, 'status' | 'statusText' | 'url'> & { headers?: Headers }): Problem => ({
  type: 'about:blank',
  title: statusText,
  status,
  detail: `${url} answered ${status} ${statusText} and not as Reelkeep does. Does the address lead to the service, or to something in front of it?`,
  code: 'unexpected_answer',
  errors: [],
  request_id: headers?.get('x-request-id') ?? '',
})

/** Seconds or a date, as HTTP allows. */
function retryAfter(headers: Headers): number | undefined {
  const value = headers.get('retry-after')
  if (value === null) return undefined
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}
