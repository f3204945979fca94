import type { Problem } from '@reelkeep/contract'

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'

type Sent = {
  readonly method: Method
  /** Path relative to the root of the server. */
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string | undefined
}

export type HttpResponse = {
  readonly status: number
  readonly headers: Record<string, string>
  /** The unparsed body. */
  readonly text: string
}

/** Sends a request to the service: over the network, or straight into its HTTP server. */
export type Send = (request: Sent) => Promise<HttpResponse>

export type ApiResponse<Body> = HttpResponse & { readonly body: Body }

/** A client that calls the API of one organization with one token, or with the cookie of a session. */
export class Caller {
  readonly organizationId: string
  readonly token: string
  readonly #send: Send

  constructor(send: Send, organizationId: string, token: string) {
    this.#send = send
    this.organizationId = organizationId
    this.token = token
  }

  /** Returns a caller of the same organization with another token. */
  withToken(token: string): Caller {
    return new Caller(this.#send, this.organizationId, token)
  }

  /** Returns a caller that uses the same token for the paths of another organization. */
  at(organizationId: string): Caller {
    return new Caller(this.#send, organizationId, this.token)
  }

  get<Body = Problem>(path: string, headers = {}) {
    return this.send<Body>('GET', path, undefined, headers)
  }

  post<Body = Problem>(path: string, body?: unknown, headers = {}) {
    return this.send<Body>('POST', path, body, headers)
  }

  put<Body = Problem>(path: string, body?: unknown, headers = {}) {
    return this.send<Body>('PUT', path, body, headers)
  }

  patch<Body = Problem>(path: string, body: unknown, headers = {}) {
    return this.send<Body>('PATCH', path, body, headers)
  }

  delete<Body = Problem>(path: string, headers = {}) {
    return this.send<Body>('DELETE', path, undefined, headers)
  }

  /**
   * Sends a request. `path` is relative to the organization ("assets/folders/"), or an absolute URL returned by the
   * API.
   */
  async send<Body = Problem>(
    method: Method,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ApiResponse<Body>> {
    const answer = await this.#send({
      method,
      path: this.#resolve(path),
      headers: {
        ...credentialHeaders(this.token),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
    })
    return { ...answer, body: parse(answer) as Body }
  }

  #resolve(path: string): string {
    if (!/^https?:/.test(path)) return `/api/v1/${this.organizationId}/${path}`
    const { pathname, search } = new URL(path)
    return pathname + search
  }
}

/** Headers of a backend with a token, or of our own page with the cookie of a session. */
export const credentialHeaders = (text: string): Record<string, string> =>
  text.startsWith('rls_')
    ? { cookie: `__Host-reelkeep-session=${text}`, 'sec-fetch-site': 'same-origin' }
    : { authorization: `token ${text}` }

/** The response to HEAD has a content type, but no body. */
function parse({ headers, text }: HttpResponse): unknown {
  return text !== '' && /[/+]json/.test(headers['content-type'] ?? '') ? JSON.parse(text) : undefined
}
