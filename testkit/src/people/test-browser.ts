import type { Problem } from '@reelkeep/contract'
import type { ApiResponse, Method, Send } from '../caller.ts'

/** A browser on a page of the service: it keeps cookies and sends the headers by which its own pages are recognized. */
export class TestBrowser {
  readonly cookies = new Map<string, string>()
  readonly #send: Send
  readonly #headers: Readonly<Record<string, string>>

  constructor(send: Send, origin: string, headers: Readonly<Record<string, string>> = {}) {
    this.#send = send
    this.#headers = { origin, 'sec-fetch-site': 'same-origin', 'user-agent': 'TestBrowser/1.0', ...headers }
  }

  get<Body = Problem>(path: string) {
    return this.request<Body>('GET', path)
  }

  post<Body = Problem>(path: string, body?: unknown) {
    return this.request<Body>('POST', path, body)
  }

  put<Body = Problem>(path: string, body: unknown) {
    return this.request<Body>('PUT', path, body)
  }

  delete<Body = Problem>(path: string) {
    return this.request<Body>('DELETE', path)
  }

  /** Sends a request. `path` is relative to `/api/account/`, or begins with a slash. */
  async request<Body = Problem>(
    method: Method,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<ApiResponse<Body>> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await this.#send({
      method,
      path: path.startsWith('/') ? path : `/api/account/${path}`,
      headers: {
        ...this.#headers,
        ...(cookie !== '' && { cookie }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    this.#keepCookies(answer.headers['set-cookie'])
    const isJson = answer.text !== '' && /json/.test(answer.headers['content-type'] ?? '')
    return { ...answer, body: (isJson ? JSON.parse(answer.text) : undefined) as Body }
  }

  #keepCookies(header: string | readonly string[] | undefined): void {
    for (const line of [header ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
  }
}
