import type { FastifyReply } from 'fastify'
import { endOtherSessions, endSession, listSessions } from '../sessions/sessions.ts'
import { type AccountApi, accountRoute } from './account-route.ts'
import { clearSessionCookie, setSessionCookie } from './cookies.ts'
import { type completeSignIn, describePerson, type SignIn } from './sign-in.ts'
import { toMe, toSession } from './sign-in.wire.ts'

/** The identity providers that the sign-in page offers. */
export type ProviderList = readonly { readonly id: string; readonly name: string }[]

export function registerSessionRoutes(api: AccountApi, providers: ProviderList): void {
  const { signIn } = api
  const { database } = signIn
  accountRoute(api, { method: 'GET', path: '/sign-in/', operation: 'readSignIn', session: 'none' }, async () =>
    availableMethods(signIn, providers),
  )
  accountRoute(
    api,
    { method: 'POST', path: '/sign-out/', operation: 'signOut', session: 'none', isAudited: true },
    async ({ reply, session }) => {
      if (session) await endSession(database, session, session.id)
      clearSessionCookie(reply)
      return undefined
    },
  )
  accountRoute(api, { method: 'GET', path: '/me/', operation: 'readMe', session: 'required' }, async ({ session }) =>
    toMe(await describePerson(signIn, session)),
  )
  const sessions = { path: '/me/sessions/', session: 'required' } as const
  accountRoute(api, { ...sessions, method: 'GET', operation: 'listOwnSessions' }, async ({ session }) => {
    const found = await listSessions(database, session, signIn.sessions.idleSeconds)
    return { results: found.map((row) => toSession(row, session.id)) }
  })
  accountRoute(
    api,
    { ...sessions, method: 'DELETE', operation: 'endOtherSessions', isAudited: true },
    async ({ session }) => {
      await endOtherSessions(database, session, session.id)
      return undefined
    },
  )
  accountRoute(
    api,
    { ...sessions, method: 'DELETE', path: '/me/sessions/:id/', operation: 'endOwnSession', isAudited: true },
    async ({ session, request }) => {
      const { id } = request.params as { id: string }
      await endSession(database, session, uuidOrNone(id))
      return undefined
    },
  )
}

/** The allowed methods; OpenID Connect only if there are providers. */
export const availableMethods = ({ methods }: SignIn, providers: ProviderList) => ({
  methods: [...methods].filter((method) => method !== 'oidc' || providers.length > 0),
  providers: methods.has('oidc') ? providers : [],
})

const NO_UUID = '00000000-0000-0000-0000-000000000000'

/** Returns the id if it is a UUID, else one that does not exist: a malformed id is reported as not found. */
export const uuidOrNone = (text: string) => (/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text) ? text : NO_UUID)

type Started = Awaited<ReturnType<typeof completeSignIn>>

/** Sets the cookie of a new session and returns the response. */
export async function respondSignedIn(signIn: SignIn, reply: FastifyReply, { text, session }: Started) {
  setSessionCookie(reply, text, signIn.sessions.lifetimeSeconds)
  return toMe(await describePerson(signIn, session))
}
