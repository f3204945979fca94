import { refused } from '../../../kernel/errors.ts'
import { roleSummary } from '../../roles/roles.ts'
import { membershipsOf } from '../../sessions/sessions.ts'
import { type AccountApi, type AccountCall, accountRoute, assertMethod } from '../account-route.ts'
import { CHALLENGE_SECONDS } from '../challenges.ts'
import { browserHash, ensureBrowserHash } from '../cookies.ts'
import { passkeyField } from '../passkeys/passkeys.routes.ts'
import { passwordField } from '../passwords/passwords.routes.ts'
import { availableMethods, type ProviderList, respondSignedIn } from '../sign-in.routes.ts'
import { completeSignIn, describePerson, type SignIn } from '../sign-in.ts'
import { toMe } from '../sign-in.wire.ts'
import {
  acceptAs,
  acceptAsNewPerson,
  type Credential,
  describeInvitation,
  describeRecovery,
  invitationPasskeyOptions,
  profileOf,
  recover,
  recoveryPasskeyOptions,
} from './links.ts'

const nameField = { type: 'string', format: 'title' }
const credentialFields = { password: passwordField, passkey: passkeyField }

const object = (properties: object, required: readonly string[] = []) => ({
  ...{ type: 'object', additionalProperties: false },
  ...{ properties, required },
})

const common = { session: 'none', signInKind: 'link' } as const

type Call = AccountCall<'none'>

const tokenOf = ({ request }: Call) => (request.params as { token: string }).token
const linkUse = (call: Call) => ({
  text: tokenOf(call),
  client: call.client,
  browserHash: browserHash(call.request),
})
const newBrowserHash = ({ request, reply }: Call) => ensureBrowserHash(request, reply, CHALLENGE_SECONDS)

export function registerLinkRoutes(api: AccountApi, providers: ProviderList): void {
  registerInvitationLinks(api, providers)
  registerRecoveryLinks(api)
}

function registerInvitationLinks(api: AccountApi, providers: ProviderList): void {
  const { signIn } = api
  const path = '/invitations/:token/'
  accountRoute(api, { ...common, method: 'GET', path, operation: 'readInvitationLink' }, async (call) => {
    const { organizationName, invitation } = await describeInvitation(signIn, tokenOf(call))
    return {
      organization_name: organizationName,
      email: invitation.email,
      role: roleSummary(invitation),
      invited_by: invitation.creator?.[1] ?? null,
      expires_at: invitation.expiresAt,
      ...availableMethods(signIn, providers),
    }
  })
  accountRoute(
    api,
    {
      ...{ ...common, method: 'POST', path: `${path}passkey-options/`, operation: 'invitationPasskeyOptions' },
      ...{ needsMethod: 'passkey', body: object({ name: nameField }, ['name']) },
    },
    async (call) => {
      const { name } = call.request.body as { name: string }
      return { options: await invitationPasskeyOptions(signIn, tokenOf(call), name, newBrowserHash(call)) }
    },
  )
  accountRoute(
    api,
    {
      ...{ ...common, method: 'POST', path: `${path}accept/`, operation: 'acceptInvitation' },
      body: object({ name: nameField, ...credentialFields }),
    },
    async (call) => {
      const { name, ...credential } = call.request.body as Credential & { name?: string }
      if (name === undefined && !hasCredential(credential)) return joinAsSignedIn(signIn, call)
      assertOneCredential(signIn, credential)
      if (name === undefined) throw refused('invalid_request', '`name` is required for a new account.', 'name')
      const accepted = await acceptAsNewPerson(signIn, linkUse(call), { name, ...credential })
      return respondSignedIn(signIn, call.reply, await completeSignIn(signIn, accepted, call.client))
    },
  )
}

/** Accepts an invitation as the person whose session the request has. */
async function joinAsSignedIn(signIn: SignIn, call: Call) {
  const { session } = call
  if (!session) throw refused('unauthenticated', 'Sign in, or send a name with a password or a passkey.')
  const { database } = signIn
  const person = await profileOf(database, session, await membershipsOf(database, session))
  await acceptAs(signIn, tokenOf(call), person)
  return toMe(await describePerson(signIn, session))
}

function registerRecoveryLinks(api: AccountApi): void {
  const { signIn } = api
  const path = '/recovery/:token/'
  accountRoute(api, { ...common, method: 'GET', path, operation: 'readRecoveryLink' }, async (call) => {
    const { name, email } = await describeRecovery(signIn, tokenOf(call))
    return { name, email, methods: availableMethods(signIn, []).methods }
  })
  accountRoute(
    api,
    {
      ...common,
      method: 'POST',
      path: `${path}passkey-options/`,
      operation: 'recoveryPasskeyOptions',
      needsMethod: 'passkey',
    },
    async (call) => ({ options: await recoveryPasskeyOptions(signIn, tokenOf(call), newBrowserHash(call)) }),
  )
  accountRoute(
    api,
    { ...common, method: 'POST', path, operation: 'recoverAccount', body: object(credentialFields) },
    async (call) => {
      const credential = call.request.body as Credential
      assertOneCredential(signIn, credential)
      const recovered = await recover(signIn, linkUse(call), credential)
      return respondSignedIn(signIn, call.reply, await completeSignIn(signIn, recovered, call.client))
    },
  )
}

const hasCredential = ({ password, passkey }: Credential) => password !== undefined || passkey !== undefined

function assertOneCredential(signIn: SignIn, { password, passkey }: Credential): void {
  if ((password === undefined) === (passkey === undefined)) {
    throw refused('invalid_request', 'Send either `password` or `passkey`.', 'password')
  }
  assertMethod(signIn, passkey === undefined ? 'password' : 'passkey')
}
