/** HTTP requests without the retries of the SDK, so that errors are visible. */

/** Time limit of a response, longer than an overloaded server needs for a small response. */
const RESPONSE_SECONDS_MAX = 20
/** Maximum size of a response, far above the size of any expected response. */
const BODY_BYTES_MAX = 2 ** 20

export type DoctorResponse = {
  readonly status: number
  readonly headers: Headers
  readonly body: Buffer
  /** Seconds by which the server's clock is ahead of ours; undefined if it sends no Date header. */
  readonly clockAheadSeconds: number | undefined
}

/** Error for a request without a response; the message says why. */
export class NoResponse extends Error {}

export async function request(
  url: string,
  signal: AbortSignal,
  init: RequestInit = {},
  secondsMax = RESPONSE_SECONDS_MAX,
): Promise<DoctorResponse> {
  const timeout = AbortSignal.timeout(secondsMax * 1000)
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.any([signal, timeout]) })
    const { status, headers } = response
    const clockAheadSeconds = ahead(headers.get('date'), Date.now())
    return { status, headers, body: await bodyOf(response), clockAheadSeconds }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof NoResponse) throw error
    throw new NoResponse(timeout.aborted ? `no response within ${secondsMax} seconds` : describeNetworkError(error))
  }
}

async function bodyOf({ body }: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > BODY_BYTES_MAX) throw new NoResponse(`its response has more than ${BODY_BYTES_MAX} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Computes the clock difference from a Date header. It has whole seconds; on average, half a second has passed. */
function ahead(date: string | null, now: number): number | undefined {
  const parsed = date === null ? Number.NaN : Date.parse(date)
  return Number.isNaN(parsed) ? undefined : (parsed + 500 - now) / 1000
}

const reasons: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'host name not found',
  EAI_AGAIN: 'host names cannot be resolved on this machine',
  ECONNRESET: 'connection reset',
  EHOSTUNREACH: 'no route to host',
  ENETUNREACH: 'no route to network',
  ETIMEDOUT: 'connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'connection timed out',
  UND_ERR_SOCKET: 'connection closed',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate chain contains a self-signed certificate',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate chain is incomplete',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
}

function describeNetworkError(error: unknown): string {
  const cause = (error as { cause?: unknown }).cause
  const first = cause instanceof AggregateError ? cause.errors[0] : cause
  const { code = '', message = String(error) } = (first ?? {}) as {
    code?: string
    message?: string
  }
  const reason = reasons[code]
  return reason === undefined ? message : `${reason} (${code})`
}
