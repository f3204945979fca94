/** A real OpenID Connect provider on this machine, and a browser that signs in there. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'

export type IdentityProviderOptions = {
  readonly clientId?: string
  readonly clientSecret?: string
  /** Where the provider sends people back to. */
  readonly redirectUris: readonly string[]
  /** Claims of each account. An account exists with any name. */
  readonly claims?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

const LOGOUT_PATH = '/received-logout'

export class IdentityProvider implements AsyncDisposable {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** The logout tokens that the provider has sent. */
  readonly logoutTokens: string[] = []
  readonly #server: Server

  private constructor(server: Server, options: IdentityProviderOptions) {
    this.#server = server
    this.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    this.clientId = options.clientId ?? 'reelkeep'
    this.clientSecret = options.clientSecret ?? 'a secret of the client that is long enough'
  }

  static async start(options: IdentityProviderOptions): Promise<IdentityProvider> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const started = new IdentityProvider(server, options)
    const handle = providerFor(started, options).callback()
    server.on('request', (request, response) => {
      if (request.url !== LOGOUT_PATH) return void handle(request, response)
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        started.logoutTokens.push(new URLSearchParams(Buffer.concat(chunks).toString()).get('logout_token') ?? '')
        response.end()
      })
    })
    return started
  }

  /** A browser of its own for the provider. */
  newBrowser(): ProviderBrowser {
    return new ProviderBrowser(this.issuer)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

function providerFor({ issuer, clientId, clientSecret }: IdentityProvider, options: IdentityProviderOptions): Provider {
  return new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [...options.redirectUris],
        backchannel_logout_uri: issuer + LOGOUT_PATH,
        backchannel_logout_session_required: true,
      },
    ],
    cookies: { keys: ['not a secret'] },
    claims: { openid: ['sub', 'sid'], email: ['email'], profile: ['name'], groups: ['groups'] },
    conformIdTokenClaims: false,
    features: { backchannelLogout: { enabled: true }, devInteractions: { enabled: true } },
    pkce: { required: () => true },
    findAccount: (_, id) => ({
      accountId: id,
      claims: async () => ({ sub: id, name: id, email: `${id}@example.org`, ...options.claims?.[id] }),
    }),
    // Back-channel requests go to this machine, which the provider's own dispatcher refuses.
    fetch: (url, given) => fetch(url, { ...given, dispatcher: undefined } as unknown as RequestInit),
  })
}

/** Follows the pages of the provider as a person would. */
export class ProviderBrowser {
  readonly #issuer: string
  readonly #cookies = new Map<string, string>()

  constructor(issuer: string) {
    this.#issuer = issuer
  }

  /** Signs in and agrees. Returns the URL to which the provider sends the browser back. */
  async signIn(authorizationUrl: string, login: string): Promise<string> {
    let next: Request = new Request(authorizationUrl)
    for (let step = 0; step < 20; step++) {
      const response = await this.#send(next)
      const location = response.headers.get('location')
      if (location !== null) {
        const url = new URL(location, next.url)
        if (url.origin !== this.#issuer) return url.href
        next = new Request(url)
        continue
      }
      const page = await response.text()
      const [, prompt = ''] = /name="prompt" value="(\w+)"/.exec(page) ?? []
      if (prompt === '') throw new Error(`The provider responded ${response.status}: ${page.slice(0, 500)}`)
      next = new Request(next.url, { method: 'POST', body: new URLSearchParams({ prompt, login, password: 'any' }) })
    }
    throw new Error('The provider did not send the browser back')
  }

  /** Signs out at the provider, which reports it to its clients. */
  async signOut(): Promise<void> {
    const page = await (await this.#send(new Request(`${this.#issuer}/session/end`))).text()
    const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec(page) ?? []
    const body = new URLSearchParams({ xsrf, logout: 'yes' })
    await this.#send(new Request(`${this.#issuer}/session/end/confirm`, { method: 'POST', body }))
  }

  async #send(request: Request): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    request.headers.set('cookie', cookie)
    const response = await fetch(request, { redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') this.#cookies.delete(name)
      else this.#cookies.set(name, value)
    }
    return response
  }
}
