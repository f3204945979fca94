/** The principals of API tokens and upload tokens. */
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import { isSuspended, organizationBeingMoved } from '../../platform/db/suspension.ts'
import type { Principal } from '../../platform/http/access/principal.ts'
import { PrincipalCache, type PrincipalSource } from '../../platform/http/access/principal-cache.ts'
import { limitsOf } from '../grants/grants.ts'
import { hashOfToken, isUploadToken, organizationInToken } from './token-text.ts'
import { UPLOAD_TOKEN_SCOPES } from './tokens.rules.ts'
import { findLiveToken, isLiveToken, markUsed } from './tokens.store.ts'
import { findLiveUploadToken } from './upload-token.store.ts'

export type TokenCache = PrincipalCache<string>

type OnError = (error: unknown) => void

export const openTokenCache = (database: Database, onError: OnError): TokenCache =>
  new PrincipalCache(tokenPrincipals(database, onError))

const tokenPrincipals = (database: Database, onError: OnError): PrincipalSource<string> => ({
  cacheSeconds: 2,
  keyOf: (text) => text,
  lookUp: (text) => lookUp(database, text),
  isLive: ({ organizationId, id }) => isLiveToken(database.forOrganization(organizationId), id),
  // The use of an upload token is not a use of the API token that created it.
  usedKeyOf: ({ id, uploadSessionUuid }) => (uploadSessionUuid === undefined ? id : undefined),
  recordUse: ({ organizationId, id }) =>
    markUsed(database.forOrganization(organizationId), id).catch((error: unknown) => {
      // A suspended organization is read-only, so uses of its tokens are not recorded.
      if (!isSuspended(error)) onError(error)
    }),
})

async function lookUp(database: Database, text: string) {
  const organizationId = organizationInToken(text)
  if (organizationId === undefined) return undefined
  const { token, absence } = await findByText(database.forOrganization(organizationId), text)
  if (absence === 'migrated') throw organizationBeingMoved()
  if (!token || absence === 'deleted') return undefined
  const { secondsLeft, folderUuid, ownOnly, ...rest } = token
  const principal: Principal = {
    kind: 'token',
    organizationId,
    ...limitsOf({ id: token.id, folderUuid, ownOnly }),
    ...rest,
  }
  return { principal, secondsLeft }
}

async function findByText(db: OrganizationDb, text: string) {
  if (!isUploadToken(text)) return findLiveToken(db, hashOfToken(text))
  const { token, absence } = await findLiveUploadToken(db, hashOfToken(text))
  return { token: token && { ...token, ...uploaderRights }, absence }
}

/** The scopes of the operations that accept an upload token; each of them also checks the session. */
const uploaderRights = {
  ...{ scopes: UPLOAD_TOKEN_SCOPES, folderUuid: null, ownOnly: false },
  ...{ hasQuotas: false, hasDefaultResolutions: false },
}
