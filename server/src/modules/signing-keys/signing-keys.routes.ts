import { signingKeys as contract } from '@reelkeep/contract'
import type { OrganizationId, SigningKeyId } from '../../kernel/ids.ts'
import { isUuidKey } from '../../platform/db/paging/keyset.ts'
import { pageRequestOf, toPage } from '../../platform/http/page.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { toCreator } from '../grants/grants.ts'
import {
  createSigningKey,
  deleteSigningKey,
  keyOf,
  listSigningKeys,
  type NewSigningKey,
  type SigningKey,
} from './signing-keys.ts'

/** Called when an organization's keys have changed. */
export type OnKeysChanged = (organizationId: OrganizationId) => void

export function registerSigningKeyRoutes(api: Api, onChanged: OnKeysChanged): void {
  route(api, contract.createSigningKey, async ({ db, principal, body, afterCommit }) => {
    afterCommit(() => onChanged(db.organizationId))
    return toNewKey(await createSigningKey(db, principal, { name: body.name, expiresAt: body.expires_at ?? null }))
  })

  route(api, contract.listSigningKeys, async ({ db, query, listUrl }) =>
    toPage(listUrl, await listSigningKeys(db, pageRequestOf(query, isUuidKey)), toKey),
  )

  route(api, contract.deleteSigningKey, async ({ db, params, afterCommit }) => {
    afterCommit(() => onChanged(db.organizationId))
    await deleteSigningKey(db, params.signing_key_id as SigningKeyId)
  })
}

const toKey = (key: SigningKey): contract.SigningKey => ({
  id: key.id,
  name: key.name,
  public_key: keyOf(key).export({ format: 'pem', type: 'spki' }).toString(),
  created_at: key.createdAt,
  expires_at: key.expiresAt,
  created_by: toCreator(key),
})

function toNewKey({ privateKey, ...key }: NewSigningKey): contract.NewSigningKey {
  const { x = '', d = '' } = privateKey.export({ format: 'jwk' })
  return {
    ...toKey(key),
    private_key: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    private_jwk: { kty: 'OKP', crv: 'Ed25519', x, d, kid: key.id, alg: 'EdDSA', use: 'sig' },
  }
}
