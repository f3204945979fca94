import type { FastifyReply, FastifyRequest } from 'fastify'
import { refused } from '../../../kernel/errors.ts'
import { clientNetwork } from '../../../platform/network/client-network.ts'
import { ACCOUNT_PREFIX, type AccountApi, assertMethod, clientOf } from '../account-route.ts'
import { CHALLENGE_SECONDS } from '../challenges.ts'
import { browserHash, ensureBrowserHash, setSessionCookie } from '../cookies.ts'
import { currentSession } from '../sign-in.ts'
import { beginOidc, completeOidc, logOutAtProvider, type Oidc, type OidcFailure } from './oidc.ts'

type Query = Readonly<Record<string, unknown>>

const LOGOUT_BODY_BYTES_MAX = 65_536
const FORM = 'application/x-www-form-urlencoded'

/** The texts of a query are bounded by the size of a request's headers. */
const textIn = (query: Query, name: string) => (typeof query[name] === 'string' ? query[name] : undefined)

export function registerOidcRoutes(api: AccountApi, oidc: Oidc): void {
  const { http, signIn } = api
  const path = `${ACCOUNT_PREFIX}/sign-in/oidc/:provider`
  const countSignIn = async (request: FastifyRequest, reply: FastifyReply) => {
    await api.countSignIn.oidc(clientNetwork(request.ip), reply)
    assertMethod(signIn, 'oidc')
  }
  http.get(`${path}/`, {
    config: { operation: 'beginOidcSignIn' },
    onRequest: countSignIn,
    handler: async (request, reply) => {
      const provider = providerOf(oidc, request)
      const query = request.query as Query
      const hash = ensureBrowserHash(request, reply, CHALLENGE_SECONDS)
      const session = await currentSession(signIn, clientOf(request).sessionText)
      const url = await beginOidc(signIn, oidc, {
        ...{ provider, browserHash: hash, isAgain: session !== undefined },
        ...{ returnTo: textIn(query, 'return_to'), invitation: textIn(query, 'invitation') },
      }).catch((err: unknown) => {
        oidc.logger.warn({ err, provider: provider.id }, 'failed to reach identity provider')
        return failurePage('sign_in_failed')
      })
      return reply.redirect(url, 303)
    },
  })
  http.get(`${path}/callback`, {
    config: { operation: 'completeOidcSignIn' },
    onRequest: countSignIn,
    handler: async (request, reply) => {
      const [, query = ''] = /^[^?]*(\?.*)$/s.exec(request.url) ?? []
      const state = textIn(request.query as Query, 'state') ?? ''
      const completed = await completeOidc(signIn, oidc, {
        ...{ provider: providerOf(oidc, request), query, state },
        ...{ browserHash: browserHash(request), client: clientOf(request) },
      })
      if (typeof completed === 'string') return reply.redirect(failurePage(completed), 303)
      setSessionCookie(reply, completed.started.text, signIn.sessions.lifetimeSeconds)
      return reply.redirect(completed.returnTo, 303)
    },
  })
  // Providers send a form, which no other route accepts.
  http.register(async (scope) => {
    scope.addContentTypeParser<string>(FORM, { parseAs: 'string' }, (_, body, done) =>
      done(null, Object.fromEntries(new URLSearchParams(body))),
    )
    scope.post(`${path}/back-channel-logout/`, {
      config: { operation: 'backChannelLogout' },
      bodyLimit: LOGOUT_BODY_BYTES_MAX,
      onRequest: (request, reply) => api.countRequest(clientNetwork(request.ip), reply),
      handler: async (request, reply) => {
        const token = textIn((request.body ?? {}) as Query, 'logout_token') ?? ''
        const isDone = await logOutAtProvider(signIn, oidc, providerOf(oidc, request), token)
        if (isDone) return reply.status(200).send()
        throw refused('invalid_request', 'The logout token is invalid, too old or was used before.')
      },
    })
  })
}

function providerOf({ providers }: Oidc, request: FastifyRequest) {
  const { provider: id } = request.params as { provider: string }
  const provider = providers.find((each) => each.id === id)
  if (provider) return provider
  throw refused('not_found', 'The identity provider is not configured.')
}

const failurePage = (failure: OidcFailure) => `/sign-in?error=${failure}`
