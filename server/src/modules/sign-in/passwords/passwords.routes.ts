import { endOtherSessions } from '../../sessions/sessions.ts'
import { type AccountApi, accountRoute } from '../account-route.ts'
import {
  disableTotp,
  enableTotp,
  hashNewPassword,
  proposeTotp,
  requireAccount,
  setPassword,
} from '../accounts/accounts.ts'
import { respondSignedIn } from '../sign-in.routes.ts'
import { completeSignIn } from '../sign-in.ts'
import { signInWithPassword } from './password-sign-in.ts'

/** Longer texts are not hashed; the limit of a new password is lower and is reported with its reason. */
const PASSWORD_CHARACTERS_MAX = 4096

export const passwordField = { type: 'string', minLength: 1, maxLength: PASSWORD_CHARACTERS_MAX }
export const emailField = { type: 'string', minLength: 3, maxLength: 320 }
const codeField = { type: 'string', maxLength: 10 }

const object = (properties: object, required: readonly string[]) => ({
  ...{ type: 'object', additionalProperties: false },
  ...{ properties, required },
})

const TOTP_ISSUER = 'Reelkeep'

export function registerPasswordRoutes(api: AccountApi): void {
  const { signIn } = api
  const { database, hasher, ring } = signIn
  accountRoute(
    api,
    {
      ...{ method: 'POST', path: '/sign-in/password/', operation: 'signInWithPassword', session: 'none' },
      ...{ needsMethod: 'password', signInKind: 'password' },
      body: object({ email: emailField, password: passwordField, code: codeField }, ['email', 'password']),
    },
    async ({ request, reply, client }) => {
      const person = await signInWithPassword(signIn, request.body as PasswordSignIn, client)
      return respondSignedIn(signIn, reply, await completeSignIn(signIn, { person, method: 'password' }, client))
    },
  )
  const own = { session: 'recent', needsMethod: 'password' } as const
  accountRoute(
    api,
    {
      ...{
        ...own,
        method: 'PUT',
        path: '/me/password/',
        operation: 'setOwnPassword',
        isAudited: true,
        signInKind: 'password',
      },
      body: object({ password: passwordField }, ['password']),
    },
    async ({ request, session, client }) => {
      const account = await requireAccount(database, session)
      const { password } = request.body as { password: string }
      const { email, id } = account
      await setPassword(database, id, await hashNewPassword(hasher, { password, email, network: client.network }))
      await endOtherSessions(database, session, session.id)
      return undefined
    },
  )
  accountRoute(api, { ...own, method: 'POST', path: '/me/totp/', operation: 'proposeTotp' }, async ({ session }) => {
    const { email } = await requireAccount(database, session)
    return proposeTotp(email, TOTP_ISSUER)
  })
  accountRoute(
    api,
    {
      ...{ ...own, method: 'PUT', path: '/me/totp/', operation: 'enableTotp', isAudited: true },
      body: object({ secret: { type: 'string', maxLength: 64 }, code: codeField }, ['secret', 'code']),
    },
    async ({ request, session }) => {
      const { id } = await requireAccount(database, session)
      await enableTotp(database, ring, id, request.body as { secret: string; code: string })
      return undefined
    },
  )
  accountRoute(
    api,
    { ...own, method: 'DELETE', path: '/me/totp/', operation: 'disableTotp', isAudited: true },
    async ({ session }) => {
      const { id } = await requireAccount(database, session)
      await disableTotp(database, id)
      return undefined
    },
  )
}

type PasswordSignIn = { readonly email: string; readonly password: string; readonly code?: string }
