/**
 * One-time links with which people without a session get one: invitations, and links that recover an account. The
 * account and its use of the link are one transaction, so a link is used by one account and an account is not created
 * without it.
 */
import { DomainError, refused } from '../../../kernel/errors.ts'
import { newAccountId } from '../../../kernel/ids.ts'
import type { ChangeRecord } from '../../../platform/db/change-record.ts'
import type { Database, OrganizationDb } from '../../../platform/db/database.ts'
import { acceptInvitation, requireInvitation } from '../../invitations/invitations.ts'
import { type Member, requireRecoveryLink, useRecoveryLink } from '../../members/members.ts'
import { readSettings } from '../../organizations/organizations.ts'
import { endOtherSessions, membershipsOf } from '../../sessions/sessions.ts'
import { organizationInToken } from '../../tokens/tokens.ts'
import { type AccountRow, createAccount, findAccount, hashNewPassword, setPassword } from '../accounts/accounts.ts'
import { registrationOptions, savePasskey, verifyNewPasskey } from '../passkeys/passkeys.ts'
import { LOCAL_ISSUER, type Person, type SignInMethod } from '../sign-in.rules.ts'
import type { Client, CurrentSession, SignIn } from '../sign-in.ts'

/** A new password, or the response of the browser that has created a passkey. */
export type Credential = { readonly password?: string; readonly passkey?: object }

/** The browser that uses a link. */
export type LinkUse = { readonly text: string; readonly client: Client; readonly browserHash: Buffer | undefined }

/** Name of a passkey until its owner gives it another one. */
const FIRST_PASSKEY_NAME = 'First passkey'

/** The organization of a link. The same code for a malformed link as for one that was used. */
const organizationOf =
  (code: 'invitation_not_found' | 'recovery_link_not_found') =>
  (database: Database, text: string, record?: ChangeRecord): OrganizationDb => {
    const organizationId = organizationInToken(text)
    if (organizationId !== undefined) return database.forOrganization(organizationId, record)
    throw refused(code, 'The link is not complete. Copy all of it.')
  }

const organizationOfInvitation = organizationOf('invitation_not_found')
const organizationOfRecovery = organizationOf('recovery_link_not_found')

export async function describeInvitation({ database }: SignIn, text: string) {
  const db = organizationOfInvitation(database, text)
  const invitation = await requireInvitation(db, text)
  const { name } = await readSettings(db)
  return { organizationName: name, invitation }
}

/** Options for the passkey of an account that the invitation will create. */
export async function invitationPasskeyOptions(signIn: SignIn, text: string, name: string, browserHash: Buffer) {
  const { email } = await requireInvitation(organizationOfInvitation(signIn.database, text), text)
  return registrationOptions(signIn, { accountId: newAccountId(), email, name }, browserHash)
}

/** Creates an account and makes it a member. */
export async function acceptAsNewPerson(
  signIn: SignIn,
  { text, client, browserHash }: LinkUse,
  given: Credential & { readonly name: string },
): Promise<{ readonly person: Person; readonly method: SignInMethod }> {
  const { database, hasher } = signIn
  const db = organizationOfInvitation(database, text)
  const { email } = await requireInvitation(db, text)
  const { network } = client
  const verified = given.passkey && (await verifyNewPasskey(signIn, { response: given.passkey }, browserHash))
  // The challenge was made for the address of an invitation; that of another one is refused.
  if (verified && verified.user.email !== email) throw refused('invalid_passkey', 'The passkey is for another address.')
  const { password } = given
  const passwordHash = password === undefined ? null : await hashNewPassword(hasher, { password, email, network })
  const { name } = given
  const recording = organizationOfInvitation(
    database,
    text,
    signIn.recordFor({ action: 'acceptInvitation', name, client }),
  )
  return recording.transaction(async (tx) => {
    const subject = verified?.user.accountId ?? newAccountId()
    await acceptInvitation(tx, text, { issuer: LOCAL_ISSUER, subject, name, email })
    await createAccount(tx, { id: subject, email, name, passwordHash })
    if (verified) await savePasskey(tx, verified.passkey, FIRST_PASSKEY_NAME)
    return { person: { issuer: LOCAL_ISSUER, subject }, method: verified ? 'passkey' : 'password' }
  })
}

type Recording = Pick<SignIn, 'database' | 'recordFor'>
type JoiningPerson = Person & { readonly name: string; readonly email: string | null }

/** Makes a person who has an account a member. */
export async function acceptAs({ database, recordFor }: Recording, text: string, person: JoiningPerson): Promise<void> {
  const record = recordFor({ action: 'acceptInvitation', name: person.name })
  await organizationOfInvitation(database, text, record).transaction((tx) => acceptInvitation(tx, text, person))
}

/** Like `acceptAs`, for a person who may be a member already. */
export async function acceptUnlessMember(recording: Recording, text: string, person: JoiningPerson): Promise<void> {
  try {
    await acceptAs(recording, text, person)
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'already_member') throw error
  }
}

/** Name and address of the signed-in person, for the list of members. */
export async function profileOf(database: Database, session: CurrentSession, memberships: readonly Profile[]) {
  const account = session.issuer === LOCAL_ISSUER ? await findAccount(database, session.subject) : undefined
  const { name, email } = account ?? memberships[0] ?? { name: session.subject, email: null }
  return { issuer: session.issuer, subject: session.subject, name, email }
}

type Profile = { readonly name: string; readonly email: string | null }

export const describeRecovery = async ({ database }: SignIn, text: string): Promise<AccountRow> => {
  const db = organizationOfRecovery(database, text)
  return accountOf(db, await requireRecoveryLink(db, text))
}

export async function recoveryPasskeyOptions(signIn: SignIn, text: string, browserHash: Buffer) {
  const { id: accountId, email, name } = await describeRecovery(signIn, text)
  return registrationOptions(signIn, { accountId, email, name }, browserHash)
}

/** Sets a new password or adds a passkey, and ends all sessions of the account. */
export async function recover(
  signIn: SignIn,
  { text, client, browserHash }: LinkUse,
  { password, passkey }: Credential,
): Promise<{ readonly person: Person; readonly method: SignInMethod }> {
  const { database, hasher } = signIn
  const { id, email } = await describeRecovery(signIn, text)
  const { network } = client
  const verified = passkey && (await verifyNewPasskey(signIn, { response: passkey, accountId: id }, browserHash))
  const hash = password === undefined ? undefined : await hashNewPassword(hasher, { password, email, network })
  const person = { issuer: LOCAL_ISSUER, subject: id }
  const action = 'recoverAccount'
  const memberships = await membershipsOf(database, person)
  const db = organizationOfRecovery(database, text, signIn.recordFor({ action, name: email, client }))
  await db.transaction(async (tx) => {
    await accountOf(tx, await useRecoveryLink(tx, text))
    if (verified) await savePasskey(tx, verified.passkey, `Passkey of the recovery on ${today()}`)
    if (hash !== undefined) await setPassword(tx, id, hash)
    await endOtherSessions(tx, person)
  })
  // Only a link of the operator can be for a person of several organizations.
  const others = memberships.filter(({ organizationId }) => organizationId !== db.organizationId)
  await signIn.record(others, { action, errorCode: null, client, requestId: null })
  return { person, method: verified ? 'passkey' : 'password' }
}

const today = () => new Date().toISOString().slice(0, 10)

async function accountOf(db: OrganizationDb, { issuer, subject }: Member): Promise<AccountRow> {
  const account = issuer === LOCAL_ISSUER ? await findAccount(db, subject) : undefined
  if (account) return account
  throw refused('recovery_link_not_found', 'The account of this link does not exist any more.')
}
