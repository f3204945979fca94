import { type Operations, routes } from '../generated/contract.ts'
import {
  ApiError,
  ConnectionError,
  NotFoundError,
  ReelkeepError,
  ServerError,
  TimeoutError,
  toApiError,
  unexpected,
} from './errors.ts'
import { newKey } from './key.ts'
import { after, pause, pauseAfter } from './pauses.ts'
import { said } from './said.ts'
import { addressOf, type CallOptions, type Settings } from './settings.ts'

type OperationId = keyof Operations
/** What an operation is given: the identifiers in its path, its query and its body, as far as it has them. */
type InputOf<Id extends OperationId> = Omit<Operations[Id], 'answer'>
type AnswerOf<Id extends OperationId> = Operations[Id]['answer']
export type BodyOf<Id extends OperationId> = Operations[Id] extends { body: infer Body }
  ? Body
  : never
export type QueryOf<Id extends OperationId> = Operations[Id] extends { query: infer Query }
  ? Query
  : never

type AnyInput = { readonly params?: object; readonly query?: object; readonly body?: object }
type Route = {
  readonly method: string
  readonly path: string
  readonly isKeyed?: true
  readonly isRepeatable?: true
  readonly isText?: true
}

const RETRIES_MAX = 2
const TIMEOUT_SECONDS = 60

/** Calls operations of one organization. */
export type Caller = {
  /** The answer, parsed. */
  readonly call: <Id extends OperationId>(
    id: Id,
    input: InputOf<Id>,
    options?: CallOptions,
  ) => Promise<AnswerOf<Id>>
  /** The answer as it begins; whoever asked reads on. Its time limit ends with its headers. */
  readonly open: <Id extends OperationId>(
    id: Id,
    input: InputOf<Id>,
    options?: OpenOptions,
  ) => Promise<Response>
}

export function callerFor(settings: Settings): Caller {
  const { base, authorization } = addressOf(settings)

  const requestFor = (route: Route, input: AnyInput, options: OpenOptions): Request => ({
    url: base + pathOf(route, input),
    method: route.method,
    headers: {
      authorization,
      ...(input.body && { 'content-type': 'application/json' }),
      ...(route.isKeyed && {
        'idempotency-key': options.idempotencyKey ?? newKey(),
      }),
      ...options.headers,
    },
    body: input.body ? JSON.stringify(input.body) : null,
  })

  const mannerOf = (route: Route, options: OpenOptions): Manner => ({
    send: settings.fetch ?? globalThis.fetch,
    isRepeatable: route.isRepeatable === true,
    retriesMax: said(options.retriesMax, settings.retriesMax) ?? RETRIES_MAX,
    timeoutSeconds: said(options.timeoutSeconds, settings.timeoutSeconds) ?? TIMEOUT_SECONDS,
    signal: options.signal,
  })

  return {
    open: async (id, input, options = {}) => {
      const route: Route = routes[id]
      return repeated(
        requestFor(route, input, options),
        mannerOf(route, options),
        async (answer) => answer,
      )
    },
    call: async (id, input, options = {}) => {
      const route: Route = routes[id]
      return repeated(requestFor(route, input, options), mannerOf(route, options), (answer) =>
        valueIn(answer, route),
      )
    },
  }
}

type OpenOptions = CallOptions & { readonly headers?: Record<string, string> }

type Request = {
  readonly url: string
  readonly method: string
  readonly headers: Record<string, string>
  readonly body: string | null
}

type Manner = {
  readonly send: typeof fetch
  /** Doing it twice is the same as once. */
  readonly isRepeatable: boolean
  readonly retriesMax: number
  readonly timeoutSeconds: number
  readonly signal: AbortSignal | undefined
}

async function repeated<Value>(
  request: Request,
  manner: Manner,
  read: (answer: Response) => Promise<Value>,
): Promise<Value> {
  let isPerhapsDone = false
  for (let repeats = 0; ; repeats++) {
    try {
      return await sendOnce(request, manner, read)
    } catch (error) {
      // What is gone now was deleted by the try whose answer was lost.
      if (isPerhapsDone && request.method === 'DELETE' && isGone(error))
        return read(new Response(null, { status: 204 }))
      const seconds = pauseAfter(error, { repeats, isRepeatable: manner.isRepeatable })
      if (seconds === undefined || repeats >= manner.retriesMax) throw error
      isPerhapsDone ||= mayHaveDoneIt(error)
      await pause(seconds, manner.signal)
    }
  }
}

/** The time limit is for all that `read` reads. */
async function sendOnce<Value>(
  { url, ...init }: Request,
  { send, signal: given, timeoutSeconds }: Manner,
  read: (answer: Response) => Promise<Value>,
): Promise<Value> {
  given?.throwIfAborted()
  const late = new AbortController()
  const callOff = after(timeoutSeconds, () => late.abort())
  const signal = given ? AbortSignal.any([given, late.signal]) : late.signal
  try {
    const answer = await send(url, { ...init, signal, redirect: 'manual' })
    if (!answer.ok) throw await toApiError(answer)
    return await read(answer)
  } catch (error) {
    given?.throwIfAborted()
    if (late.signal.aborted)
      throw new TimeoutError(`${url} did not answer within ${timeoutSeconds} seconds.`)
    if (error instanceof ReelkeepError) throw error
    throw new ConnectionError(`${url} cannot be reached: ${reasonOf(error)}.`, { cause: error })
  } finally {
    callOff()
  }
}

async function valueIn(answer: Response, { isText }: Route) {
  const text = await answer.text()
  if (isText) return text
  if (answer.status === 204) return undefined
  try {
    return JSON.parse(text)
  } catch {
    throw new ServerError(unexpected(answer))
  }
}

/** With 4xx the service refuses before it does anything. */
const mayHaveDoneIt = (error: unknown) => !(error instanceof ApiError) || error.status >= 500

const isGone = (error: unknown) =>
  error instanceof NotFoundError &&
  error.code.endsWith('_not_found') &&
  error.code !== 'organization_not_found'

/** Runtimes wrap the reason, some of them twice. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message || error.name
}

/**
 * Nothing, and dots that fetch folds away, would make it the address of something else: of all
 * there is, or of what it lies in.
 */
function segmentOf(name: string, value: unknown): string {
  const text = String(value ?? '')
  if (/^\.{0,2}$/.test(text))
    throw new ReelkeepError(`${JSON.stringify(text)} is no ${name}. Nothing was sent.`)
  return encodeURIComponent(text)
}

function pathOf({ path }: Route, { params = {}, query = {} }: AnyInput): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) =>
    segmentOf(name, (params as Record<string, unknown>)[name]),
  )
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const search = new URLSearchParams(
    given.map(([name, value]): [string, string] => [name, String(value)]),
  )
  return search.size > 0 ? `${filled}?${search}` : filled
}
