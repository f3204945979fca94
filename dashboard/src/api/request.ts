/** Requests to the API of this origin. The session cookie is sent by the browser; scripts cannot read it. */

/** Code of a request that got no response. */
export const UNREACHABLE = 'unreachable'

type ProblemDocument = {
  readonly code?: string
  readonly detail?: string
  readonly errors?: readonly { readonly field: string; readonly code: string }[]
  readonly request_id?: string
}

/** An error response (RFC 9457), or a request without a response. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem'
  readonly status: number
  readonly code: string
  readonly fields: readonly { readonly field: string; readonly code: string }[]
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(status: number, document: ProblemDocument, retryAfterSeconds?: number) {
    super(document.detail ?? `The request failed with status ${status}.`)
    this.status = status
    this.code = document.code ?? UNREACHABLE
    this.fields = document.errors ?? []
    this.requestId = document.request_id
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** Errors of the SDK, by their names: pages before sign-in do not load the SDK. */
type SdkError = Error & {
  readonly status?: number
  readonly code?: string
  readonly errors?: ApiProblem['fields']
  readonly requestId?: string
  readonly retryAfterSeconds?: number
}

/** The problem in an error of this module or of the SDK; undefined for other errors. */
export function problemOf(error: unknown): ApiProblem | undefined {
  if (error instanceof ApiProblem) return error
  if (!(error instanceof Error)) return undefined
  if (error.name === 'ConnectionError' || error.name === 'TimeoutError') return new ApiProblem(0, { code: UNREACHABLE })
  const { status, code, message: detail, errors = [], requestId, retryAfterSeconds }: SdkError = error
  if (status === undefined || code === undefined) return undefined
  return new ApiProblem(
    status,
    { code, detail, errors, ...(requestId && { request_id: requestId }) },
    retryAfterSeconds,
  )
}

export const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  codes.includes(problemOf(error)?.code ?? '')

/** The session has ended, or there was none. */
export const isSignedOut = (error: unknown) => hasCode(error, 'unauthenticated')

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export async function request<T>(method: Method, path: string, body?: object): Promise<T> {
  const response = await send(method, path, body)
  const text = await response.text()
  if (!response.ok) throw new ApiProblem(response.status, parsed(text), retryAfterSeconds(response))
  return (text === '' ? undefined : JSON.parse(text)) as T
}

async function send(method: Method, path: string, body: object | undefined): Promise<Response> {
  const content = body && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }
  try {
    return await fetch(path, { method, credentials: 'same-origin', cache: 'no-store', ...content })
  } catch {
    throw new ApiProblem(0, { code: UNREACHABLE })
  }
}

/** A proxy may respond with something else than a problem document. */
function parsed(text: string): ProblemDocument {
  try {
    return JSON.parse(text) as ProblemDocument
  } catch {
    return {}
  }
}

function retryAfterSeconds({ headers }: Response): number | undefined {
  const seconds = Number(headers.get('Retry-After') ?? Number.NaN)
  return Number.isFinite(seconds) ? seconds : undefined
}
