import type { BodyOf, Caller, QueryOf } from '../http/call.ts'
import { listOf } from '../http/list.ts'
import type { CallOptions, UnkeyedOptions } from '../http/settings.ts'

/** Playback tokens for viewers of an asset. */
export const accessTokens = ({ call }: Caller) => ({
  /** Returns the token, which is shown only once, and the playback URLs that contain it. */
  create: (assetId: string, body: BodyOf<'createAccessToken'> = {}, options?: CallOptions) =>
    call('createAccessToken', { params: { asset_id: assetId }, body }, options),

  /** Lists the tokens, newest first, without their secrets. */
  list: (assetId: string, query: QueryOf<'listAccessTokens'> = {}, options?: UnkeyedOptions) =>
    listOf((cursor) =>
      call('listAccessTokens', { params: { asset_id: assetId }, query: { ...query, ...cursor } }, options),
    ),

  read: (assetId: string, id: string, options?: UnkeyedOptions) =>
    call('readAccessToken', { params: { asset_id: assetId, access_token_id: id } }, options),

  /** Revokes the token, which ends playback with it. */
  revoke: (assetId: string, id: string, options?: UnkeyedOptions) =>
    call('revokeAccessToken', { params: { asset_id: assetId, access_token_id: id } }, options),

  /** Revokes all access tokens of the organization, and the playback URLs in earlier asset responses. */
  revokeAll: (options?: UnkeyedOptions) => call('revokeAllAccessTokens', {}, options),
})
