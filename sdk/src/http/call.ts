import { type Operations, routes } from '../generated/contract.ts'
import {
  ApiError,
  ConnectionError,
  NotFoundError,
  ReelkeepError,
  ServerError,
  TimeoutError,
  toApiError,
  unexpectedResponse,
} from './errors.ts'
import { firstNumber } from './first-number.ts'
import { newKey } from './idempotency-key.ts'
import { pause, retryDelay, runAfter } from './retry.ts'
import { type CallOptions, type ConditionalOptions, endpointOf, type Settings } from './settings.ts'

type OperationId = keyof Operations
/** Input of an operation: path parameters, query and body, if it has them. */
type InputOf<Id extends OperationId> = Omit<Operations[Id], 'answer'>
type ResponseOf<Id extends OperationId> = Operations[Id]['answer']
export type BodyOf<Id extends OperationId> = Operations[Id] extends { body: infer Body } ? Body : never
export type QueryOf<Id extends OperationId> = Operations[Id] extends { query: infer Query } ? Query : never

type AnyInput = { readonly params?: object; readonly query?: object; readonly body?: object }
type Route = {
  readonly method: string
  readonly path: string
  readonly isKeyed?: true
  readonly isRepeatable?: true
  readonly isText?: true
  readonly hasEntityTag?: true
}

const RETRIES_MAX = 2
const TIMEOUT_SECONDS = 60

/** Calls API operations of one organization. */
export type Caller = {
  /** Returns the parsed response. */
  readonly call: <Id extends OperationId>(id: Id, input: InputOf<Id>, options?: OpenOptions) => Promise<ResponseOf<Id>>
  /** Returns the response with its body unread. The timeout covers the headers only. */
  readonly open: <Id extends OperationId>(id: Id, input: InputOf<Id>, options?: OpenOptions) => Promise<Response>
}

export function callerFor(settings: Settings): Caller {
  const { base, credentials } = endpointOf(settings)

  const requestFor = (route: Route, input: AnyInput, options: OpenOptions): Request => ({
    url: base + pathOf(route, input),
    method: route.method,
    headers: {
      ...credentials,
      ...(input.body && { 'content-type': 'application/json' }),
      ...(route.isKeyed && {
        'idempotency-key': options.idempotencyKey ?? newKey(),
      }),
      ...(options.ifMatch && { 'if-match': options.ifMatch }),
      ...options.headers,
    },
    body: input.body ? JSON.stringify(input.body) : null,
  })

  const requestOptionsFor = (route: Route, options: OpenOptions): RequestOptions => ({
    send: settings.fetch ?? globalThis.fetch,
    // If the first response was lost, a conditional request would fail because of its own change.
    isRepeatable: route.isRepeatable === true && !options.ifMatch,
    retriesMax: firstNumber(options.retriesMax, settings.retriesMax) ?? RETRIES_MAX,
    timeoutSeconds: firstNumber(options.timeoutSeconds, settings.timeoutSeconds) ?? TIMEOUT_SECONDS,
    signal: options.signal,
  })

  return {
    open: async (id, input, options = {}) => {
      const route: Route = routes[id]
      return withRetries(
        requestFor(route, input, options),
        requestOptionsFor(route, options),
        async (response) => response,
      )
    },
    call: async (id, input, options = {}) => {
      const route: Route = routes[id]
      return withRetries(requestFor(route, input, options), requestOptionsFor(route, options), (response) => {
        options.onResponse?.(response.headers)
        return parseBody(response, route)
      })
    },
  }
}

type OpenOptions = CallOptions &
  ConditionalOptions & {
    readonly headers?: Record<string, string>
    /** Receives the headers of a successful response. */
    readonly onResponse?: (headers: Headers) => void
  }

type Request = {
  readonly url: string
  readonly method: string
  readonly headers: Record<string, string>
  readonly body: string | null
}

type RequestOptions = {
  readonly send: typeof fetch
  /** True if repeating the request has the same effect as sending it once. */
  readonly isRepeatable: boolean
  readonly retriesMax: number
  readonly timeoutSeconds: number
  readonly signal: AbortSignal | undefined
}

async function withRetries<Value>(
  request: Request,
  options: RequestOptions,
  read: (response: Response) => Promise<Value>,
): Promise<Value> {
  let mayBeDone = false
  for (let retries = 0; ; retries++) {
    try {
      return await sendOnce(request, options, read)
    } catch (error) {
      // An earlier attempt, whose response was lost, has already deleted the object.
      if (mayBeDone && request.method === 'DELETE' && isAlreadyDeleted(error))
        return read(new Response(null, { status: 204 }))
      const seconds = retryDelay(error, { retries, isRepeatable: options.isRepeatable })
      if (seconds === undefined || retries >= options.retriesMax) throw error
      mayBeDone ||= mayHaveTakenEffect(error)
      await pause(seconds, options.signal)
    }
  }
}

/** Sends the request once. The timeout also covers the time in which `read` reads the response. */
async function sendOnce<Value>(
  { url, ...init }: Request,
  { send, signal: given, timeoutSeconds }: RequestOptions,
  read: (response: Response) => Promise<Value>,
): Promise<Value> {
  given?.throwIfAborted()
  const timeout = new AbortController()
  const cancelTimer = runAfter(timeoutSeconds, () => timeout.abort())
  const signal = given ? AbortSignal.any([given, timeout.signal]) : timeout.signal
  try {
    const response = await send(url, { ...init, signal, redirect: 'manual' })
    if (!response.ok) throw await toApiError(response)
    return await read(response)
  } catch (error) {
    given?.throwIfAborted()
    if (timeout.signal.aborted) throw new TimeoutError(`${url} did not respond within ${timeoutSeconds} seconds.`)
    if (error instanceof ReelkeepError) throw error
    throw new ConnectionError(`${url} cannot be reached: ${reasonOf(error)}.`, { cause: error })
  } finally {
    cancelTimer()
  }
}

async function parseBody(response: Response, { isText, hasEntityTag }: Route) {
  const text = await response.text()
  if (isText) return text
  if (response.status === 204) return undefined
  try {
    const body = JSON.parse(text)
    return hasEntityTag ? { ...body, etag: response.headers.get('etag') } : body
  } catch {
    throw new ServerError(unexpectedResponse(response))
  }
}

/** Whether the request may have had an effect. After a 4xx status it had none, because the service refused it. */
const mayHaveTakenEffect = (error: unknown) => !(error instanceof ApiError) || error.status >= 500

const isAlreadyDeleted = (error: unknown) =>
  error instanceof NotFoundError && error.code.endsWith('_not_found') && error.code !== 'organization_not_found'

/** Returns the innermost cause, because runtimes wrap it, some of them twice. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message || error.name
}

/** Rejects an empty segment and the dot segments that fetch normalizes away: the request would go to another URL. */
function pathSegment(name: string, value: unknown): string {
  const text = String(value ?? '')
  if (/^\.{0,2}$/.test(text))
    throw new ReelkeepError(`${JSON.stringify(text)} is not a valid ${name}. Nothing was sent.`)
  return encodeURIComponent(text)
}

function pathOf({ path }: Route, { params = {}, query = {} }: AnyInput): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) =>
    pathSegment(name, (params as Record<string, unknown>)[name]),
  )
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const search = new URLSearchParams(given.flatMap(([name, value]) => parametersOf(name, value)))
  return search.size > 0 ? `${filled}?${search}` : filled
}

/** An array is sent as a repeated parameter. */
const parametersOf = (name: string, value: unknown) =>
  [value].flat().map((one): [string, string] => [name, String(one)])
