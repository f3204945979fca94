/** Requests as they are, without the client's retries: a fault must show. */

/** Longer than an overloaded server takes for an answer that is small. */
const ANSWER_SECONDS_MAX = 20
/** Nothing that is asked for is half as large. */
const BODY_BYTES_MAX = 2 ** 20

export type Answered = {
  readonly status: number
  readonly headers: Headers
  readonly body: Buffer
  /** By how much the clock of whoever answered is ahead of ours; undefined if it does not tell. */
  readonly aheadSeconds: number | undefined
}

/** Nobody answered, in words that say why. */
export class NoAnswer extends Error {}

export async function ask(
  url: string,
  signal: AbortSignal,
  init: RequestInit = {},
  secondsMax = ANSWER_SECONDS_MAX,
): Promise<Answered> {
  const late = AbortSignal.timeout(secondsMax * 1000)
  try {
    const answer = await fetch(url, { ...init, signal: AbortSignal.any([signal, late]) })
    const { status, headers } = answer
    const aheadSeconds = ahead(headers.get('date'), Date.now())
    return { status, headers, body: await bodyOf(answer), aheadSeconds }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof NoAnswer) throw error
    throw new NoAnswer(
      late.aborted ? `no answer came within ${secondsMax} seconds` : whyNoAnswer(error),
    )
  }
}

async function bodyOf({ body }: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > BODY_BYTES_MAX)
      throw new NoAnswer(`its answer has more than ${BODY_BYTES_MAX} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Told by whole seconds: on average half of one has passed. */
function ahead(date: string | null, now: number): number | undefined {
  const told = date === null ? Number.NaN : Date.parse(date)
  return Number.isNaN(told) ? undefined : (told + 500 - now) / 1000
}

const reasons: Record<string, string> = {
  ECONNREFUSED: 'nobody listens there',
  ENOTFOUND: 'the name is not known',
  EAI_AGAIN: 'names cannot be looked up from here',
  ECONNRESET: 'the connection was cut off',
  EHOSTUNREACH: 'there is no way there from here',
  ENETUNREACH: 'there is no way there from here',
  ETIMEDOUT: 'it cannot be connected to',
  UND_ERR_CONNECT_TIMEOUT: 'it cannot be connected to',
  UND_ERR_SOCKET: 'the connection was cut off',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by nobody that is known here',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is signed by nobody that is known here',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate lacks those in between',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
}

function whyNoAnswer(error: unknown): string {
  const cause = (error as { cause?: unknown }).cause
  const first = cause instanceof AggregateError ? cause.errors[0] : cause
  const { code = '', message = String(error) } = (first ?? {}) as {
    code?: string
    message?: string
  }
  const reason = reasons[code]
  return reason === undefined ? message : `${reason} (${code})`
}
