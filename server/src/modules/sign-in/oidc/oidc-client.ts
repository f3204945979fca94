/**
 * Requests to identity providers. Metadata is fetched when a provider is first used and then cached; requests go only
 * to the public internet over HTTPS and to the networks that the operator allows.
 */
import { createRemoteJWKSet, customFetch, jwtVerify } from 'jose'
import * as openid from 'openid-client'
import { type Agent, fetch } from 'undici'
import { onlyNetworks, openGuardedAgent, publicInternet } from '../../../platform/network/guarded-agent.ts'
import { toNetworkPorts } from '../../../platform/network/network-ports.ts'
import type { Claims, OidcProvider } from './oidc.rules.ts'

const TIMEOUT_SECONDS = 10
/** How long metadata is used before it is fetched again. */
const METADATA_SECONDS = 3600
const HTTPS_PORT = 443
/** Maximum age of a logout token. Providers send it at once. */
const LOGOUT_TOKEN_AGE = '10m'

type Discovered = {
  readonly configuration: openid.Configuration
  readonly keys: ReturnType<typeof createRemoteJWKSet> | undefined
}
type Cached = { readonly discovered: Promise<Discovered>; readonly untilMs: number }

export type AuthorizationRequest = {
  readonly redirectUrl: string
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
  /** Asks the provider to have the person sign in again. */
  readonly isAgain: boolean
}

export type AuthorizationResponse = {
  /** URL of the callback with its parameters. */
  readonly url: URL
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
}

export class OidcClient implements AsyncDisposable {
  readonly #agent: Agent
  readonly #cache = new Map<string, Cached>()

  /** `networks` such as `10.0.0.0/8:443` are allowed in addition to the public internet. */
  constructor(networks: readonly string[]) {
    const allowed = toNetworkPorts(networks)
    const isPublic = publicInternet([HTTPS_PORT])
    const isListed = allowed ? onlyNetworks(allowed) : () => false
    this.#agent = openGuardedAgent({
      isAllowed: (address, target) => isPublic(address, target) || isListed(address, target),
      connectSecondsMax: TIMEOUT_SECONDS,
    })
  }

  async authorizationUrl(provider: OidcProvider, request: AuthorizationRequest): Promise<URL> {
    const { configuration } = await this.#discover(provider)
    return openid.buildAuthorizationUrl(configuration, {
      redirect_uri: request.redirectUrl,
      scope: provider.scopes,
      state: request.state,
      nonce: request.nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(request.codeVerifier),
      code_challenge_method: 'S256',
      ...(request.isAgain && { prompt: provider.prompt }),
    })
  }

  /** Exchanges the code and returns the verified claims of the ID token. Throws unless everything matches. */
  async exchangeCode(provider: OidcProvider, response: AuthorizationResponse): Promise<openid.IDToken> {
    const { configuration } = await this.#discover(provider)
    const tokens = await openid.authorizationCodeGrant(configuration, response.url, {
      expectedState: response.state,
      expectedNonce: response.nonce,
      pkceCodeVerifier: response.codeVerifier,
      idTokenExpected: true,
    })
    const claims = tokens.claims()
    if (!claims) throw new Error('the token response has no ID token')
    return claims
  }

  /** Verifies signature, issuer, audience and age of a logout token. Throws unless all are right. */
  async verifyLogoutToken(provider: OidcProvider, token: string): Promise<Claims> {
    const { configuration, keys } = await this.#discover(provider)
    if (!keys) throw new Error('the provider has no keys')
    const { payload } = await jwtVerify(token, keys, {
      issuer: configuration.serverMetadata().issuer,
      audience: provider.clientId,
      maxTokenAge: LOGOUT_TOKEN_AGE,
    })
    return payload
  }

  #discover(provider: OidcProvider): Promise<Discovered> {
    const cached = this.#cache.get(provider.id)
    if (cached && cached.untilMs > performance.now()) return cached.discovered
    const discovered = this.#fetchMetadata(provider)
    this.#cache.set(provider.id, { discovered, untilMs: performance.now() + METADATA_SECONDS * 1000 })
    // A failure is not cached: the next sign-in tries again.
    discovered.catch(() => this.#cache.delete(provider.id))
    return discovered
  }

  async #fetchMetadata({ issuer, clientId, clientSecret }: OidcProvider): Promise<Discovered> {
    const server = new URL(issuer)
    const configuration = await openid.discovery(server, clientId, clientSecret, authenticationOf(clientSecret), {
      timeout: TIMEOUT_SECONDS,
      [openid.customFetch]: this.#fetch,
      // Plain HTTP works only in a network of the operator, see `isAllowed`. Signatures are always verified.
      execute: [
        ...(server.protocol === 'http:' ? [openid.allowInsecureRequests] : []),
        openid.enableNonRepudiationChecks,
      ],
    })
    const { jwks_uri } = configuration.serverMetadata()
    const keys =
      jwks_uri === undefined
        ? undefined
        : createRemoteJWKSet(new URL(jwks_uri), {
            timeoutDuration: TIMEOUT_SECONDS * 1000,
            [customFetch]: this.#fetch as typeof globalThis.fetch,
          })
    return { configuration, keys }
  }

  readonly #fetch = ((url: string, options: object) =>
    fetch(url, { ...options, dispatcher: this.#agent })) as unknown as openid.CustomFetch

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.close()
  }
}

const authenticationOf = (clientSecret: string | undefined) =>
  clientSecret === undefined ? openid.None() : openid.ClientSecretBasic(clientSecret)
