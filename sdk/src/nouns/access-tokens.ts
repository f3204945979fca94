import type { BodyOf, Caller, QueryOf } from '../http/call.ts'
import { listOf } from '../http/list.ts'
import type { CallOptions, UnkeyedOptions } from '../http/settings.ts'

/** What viewers play an asset with. */
export const accessTokens = ({ call }: Caller) => ({
  /** The answer holds the token, this once, and the addresses that play by it. */
  create: (assetId: string, body: BodyOf<'createAccessToken'> = {}, options?: CallOptions) =>
    call('createAccessToken', { params: { asset_id: assetId }, body }, options),

  /** Newest first, without the tokens themselves. */
  list: (assetId: string, query: QueryOf<'listAccessTokens'> = {}, options?: UnkeyedOptions) =>
    listOf((cursor) =>
      call(
        'listAccessTokens',
        { params: { asset_id: assetId }, query: { ...query, ...cursor } },
        options,
      ),
    ),

  read: (assetId: string, id: string, options?: UnkeyedOptions) =>
    call('readAccessToken', { params: { asset_id: assetId, access_token_id: id } }, options),

  /** Nothing plays by it any more. */
  revoke: (assetId: string, id: string, options?: UnkeyedOptions) =>
    call('revokeAccessToken', { params: { asset_id: assetId, access_token_id: id } }, options),
})
