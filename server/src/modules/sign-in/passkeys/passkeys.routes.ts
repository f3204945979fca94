import { type AccountApi, accountRoute } from '../account-route.ts'
import { requireAccount } from '../accounts/accounts.ts'
import { CHALLENGE_SECONDS } from '../challenges.ts'
import { browserHash, ensureBrowserHash } from '../cookies.ts'
import { respondSignedIn, uuidOrNone } from '../sign-in.routes.ts'
import { completeSignIn } from '../sign-in.ts'
import {
  listPasskeys,
  registrationOptions,
  removePasskey,
  savePasskey,
  signInOptions,
  signInWithPasskey,
  verifyNewPasskey,
} from './passkeys.ts'

/** A response of a browser's WebAuthn interface as JSON. Its fields are checked by the verification. */
export const passkeyField = { type: 'object', maxProperties: 20 }

const signInBody = {
  ...{ type: 'object', additionalProperties: false, required: ['response'] },
  properties: { response: passkeyField },
}

const newPasskeyBody = {
  ...{ type: 'object', additionalProperties: false, required: ['name', 'response'] },
  properties: { name: { type: 'string', minLength: 1, maxLength: 100, format: 'title' }, response: passkeyField },
}

export function registerPasskeyRoutes(api: AccountApi): void {
  const { signIn } = api
  const common = { session: 'none', needsMethod: 'passkey', signInKind: 'passkey' } as const
  accountRoute(
    api,
    { ...common, method: 'POST', path: '/sign-in/passkey/options/', operation: 'passkeySignInOptions' },
    async ({ request, reply }) => ({
      options: await signInOptions(signIn, ensureBrowserHash(request, reply, CHALLENGE_SECONDS)),
    }),
  )
  accountRoute(
    api,
    { ...common, method: 'POST', path: '/sign-in/passkey/', operation: 'signInWithPasskey', body: signInBody },
    async ({ request, reply, client }) => {
      const { response } = request.body as { response: object }
      const person = await signInWithPasskey(signIn, { response, browserHash: browserHash(request), client })
      return respondSignedIn(signIn, reply, await completeSignIn(signIn, { person, method: 'passkey' }, client))
    },
  )
  registerOwnPasskeyRoutes(api)
}

function registerOwnPasskeyRoutes(api: AccountApi): void {
  const { signIn } = api
  const { database } = signIn
  const path = '/me/passkeys/'
  accountRoute(api, { method: 'GET', path, operation: 'listPasskeys', session: 'required' }, async ({ session }) => {
    const { id } = await requireAccount(database, session)
    return { results: (await listPasskeys(database, id)).map(toPasskey) }
  })
  const changes = { session: 'recent', needsMethod: 'passkey' } as const
  accountRoute(
    api,
    { ...changes, method: 'POST', path: `${path}options/`, operation: 'passkeyOptions' },
    async ({ request, reply, session }) => {
      const { id: accountId, email, name } = await requireAccount(database, session)
      const hash = ensureBrowserHash(request, reply, CHALLENGE_SECONDS)
      return { options: await registrationOptions(signIn, { accountId, email, name }, hash) }
    },
  )
  accountRoute(
    api,
    { ...changes, method: 'POST', path, operation: 'addPasskey', isAudited: true, body: newPasskeyBody, status: 201 },
    async ({ request, session }) => {
      const { id } = await requireAccount(database, session)
      const { name, response } = request.body as { name: string; response: object }
      const { passkey } = await verifyNewPasskey(signIn, { response, accountId: id }, browserHash(request))
      return toPasskey(await savePasskey(database, passkey, name))
    },
  )
  accountRoute(
    api,
    { session: 'recent', method: 'DELETE', path: `${path}:id/`, operation: 'removePasskey', isAudited: true },
    async ({ request, session }) => {
      const { id } = request.params as { id: string }
      await removePasskey(signIn, await requireAccount(database, session), uuidOrNone(id))
      return undefined
    },
  )
}

type Passkey = Awaited<ReturnType<typeof savePasskey>>

const toPasskey = ({
  id,
  name,
  createdAt,
  lastUsedAt,
}: Passkey | Awaited<ReturnType<typeof listPasskeys>>[number]) => ({
  ...{ id, name },
  created_at: createdAt,
  last_used_at: lastUsedAt,
})
