/**
 * Routes below `/api/account/`: they concern a person, not an organization. Requests that change something must come
 * from our own pages, also without a session: otherwise another site could sign a browser in to an account of its own.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { refused } from '../../kernel/errors.ts'
import { assertRecentSignIn } from '../../platform/http/access/principal.ts'
import { openCounter } from '../../platform/http/access/rate-limits/rate-limit.ts'
import { assertSameOrigin } from '../../platform/http/access/same-origin.ts'
import { sessionInCookie } from '../../platform/http/access/session-cookie.ts'
import { checkBody } from '../../platform/http/validation.ts'
import { clientNetwork } from '../../platform/network/client-network.ts'
import { membershipsOf } from '../sessions/sessions.ts'
import type { SignInMethod } from './sign-in.rules.ts'
import { type Client, type CurrentSession, currentSession, type SignIn } from './sign-in.ts'

export const ACCOUNT_PREFIX = '/api/account'

const FORBIDDEN = 403

/** Requests per network and minute. Each costs a database query. */
const REQUESTS_PER_MINUTE = 1200

/** Limit of requests to sign in that hash no password, as a multiple of that of passwords. */
const WITHOUT_PASSWORD_FACTOR = 10

type CountRequest = (key: string, reply: FastifyReply) => Promise<void>

/** Requests with which a person signs in. Each kind is counted apart: a flood of one kind leaves the others working. */
type SignInKind = SignInMethod | 'link'

export type AccountApi = {
  readonly http: FastifyInstance
  readonly signIn: SignIn
  readonly countRequest: CountRequest
  readonly countSignIn: Readonly<Record<SignInKind, CountRequest>>
}

export function openAccountApi(http: FastifyInstance, signIn: SignIn, passwordsPerMinute: number): AccountApi {
  const withoutPassword = () =>
    openCounter({ name: 'sign-in', perMinute: passwordsPerMinute * WITHOUT_PASSWORD_FACTOR })
  return {
    http,
    signIn,
    countRequest: openCounter({ name: 'account', perMinute: REQUESTS_PER_MINUTE }),
    countSignIn: {
      password: openCounter({ name: 'sign-in', perMinute: passwordsPerMinute }),
      passkey: withoutPassword(),
      oidc: withoutPassword(),
      link: withoutPassword(),
    },
  }
}

/** Whether a route needs a session; `recent` for one that was started within the last ten minutes. */
type SessionNeed = 'none' | 'required' | 'recent'

type AccountRoute<Need extends SessionNeed> = {
  readonly method: HTTPMethods
  /** Path after the prefix. */
  readonly path: string
  /** Name for logs and metrics. */
  readonly operation: string
  readonly session: Need
  /** JSON schema of the body; without it, the body must be empty. */
  readonly body?: object
  /** Sign-in method that the operator must allow. */
  readonly needsMethod?: SignInMethod
  /** Recorded in the audit logs of all organizations of the person. */
  readonly isAudited?: true
  /** Counts as a request to sign in of this kind. */
  readonly signInKind?: SignInKind
  readonly status?: number
}

export type AccountCall<Need extends SessionNeed> = {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly client: Client
  readonly session: Need extends 'none' ? CurrentSession | undefined : CurrentSession
}

const noBody = { type: 'object', properties: {}, additionalProperties: false } as const

/** Registers a route. The handler's result is sent as JSON; without a result the status is 204. */
export function accountRoute<Need extends SessionNeed>(
  api: AccountApi,
  route: AccountRoute<Need>,
  handler: (call: AccountCall<Need>) => Promise<object | undefined>,
): void {
  const { signIn } = api
  const check = checkBody(route.body ?? noBody)
  api.http.route({
    method: route.method,
    url: `${ACCOUNT_PREFIX}${route.path}`,
    config: { operation: route.operation },
    onRequest: async (request, reply) => {
      const network = clientNetwork(request.ip)
      await (route.signInKind ? api.countSignIn[route.signInKind] : api.countRequest)(network, reply)
      assertSameOrigin(request, signIn.origin)
      if (route.needsMethod) assertMethod(signIn, route.needsMethod)
    },
    onSend: async (request, { statusCode }, payload) => {
      if (statusCode === FORBIDDEN) await recordRefusal(signIn, route.operation, request)
      return payload
    },
    handler: async (request, reply) => {
      request.body ??= {}
      if (request.method !== 'GET') check(request.body)
      const client = clientOf(request)
      const session = await currentSession(signIn, client.sessionText)
      assertSession(route.session, session)
      // Read before the change, so that its entries cannot fail afterwards.
      const memberships = route.isAudited && session ? await membershipsOf(signIn.database, session) : []
      const result = await handler({ request, reply, client, session } as AccountCall<Need>)
      const action = { action: route.operation, errorCode: null, client, requestId: request.id }
      await signIn.record(memberships, action)
      return result === undefined ? reply.status(204).send() : reply.status(route.status ?? 200).send(result)
    },
  })
}

/** Records a refused request of a signed-in person. The response is sent as well if that fails. */
async function recordRefusal(signIn: SignIn, action: string, request: FastifyRequest): Promise<void> {
  const { id: requestId, problemCode: errorCode = null } = request
  try {
    const client = clientOf(request)
    const session = await currentSession(signIn, client.sessionText)
    if (!session) return
    await signIn.record(await membershipsOf(signIn.database, session), { action, errorCode, client, requestId })
  } catch (err) {
    request.log.warn({ err, requestId }, 'failed to record a refused request')
  }
}

function assertSession(need: SessionNeed, session: CurrentSession | undefined): void {
  if (need === 'none') return
  if (!session) throw refused('unauthenticated', 'The session has ended. Sign in again.')
  if (need === 'recent') assertRecentSignIn({ session }, Date.now())
}

export function assertMethod({ methods }: SignIn, method: SignInMethod): void {
  if (methods.has(method)) return
  throw refused('sign_in_method_disabled', `The operator has disabled this sign-in method (${method}).`)
}

export const clientOf = (request: FastifyRequest): Client => ({
  ip: request.ip,
  network: clientNetwork(request.ip),
  userAgent: request.headers['user-agent'] ?? '',
  sessionText: sessionInCookie(request.headers.cookie),
})
