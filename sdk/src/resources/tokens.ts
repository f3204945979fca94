import type { BodyOf, Caller, QueryOf } from '../http/call.ts'
import { listOf } from '../http/list.ts'
import type { CallOptions, UnkeyedOptions } from '../http/settings.ts'

/** API tokens of the organization. */
export const tokens = ({ call }: Caller) => ({
  /** Returns the secret token, which is shown only once. */
  create: (body: BodyOf<'createToken'>, options?: CallOptions) => call('createToken', { body }, options),

  /** Lists the tokens, without their secrets. */
  list: (query: QueryOf<'listTokens'> = {}, options?: UnkeyedOptions) =>
    listOf((cursor) => call('listTokens', { query: { ...query, ...cursor } }, options)),

  /** Returns the token of this client. */
  readCurrent: (options?: UnkeyedOptions) => call('readCurrentToken', {}, options),

  read: (id: string, options?: UnkeyedOptions) => call('readToken', { params: { token_id: id } }, options),

  /** Replaces the token with a new one; both are valid for `overlap_seconds`. */
  rotate: (id: string, body: BodyOf<'rotateToken'> = {}, options?: CallOptions) =>
    call('rotateToken', { params: { token_id: id }, body }, options),

  /** Revokes the token, with `descendants` also everything that was created with it. */
  revoke: (id: string, query: QueryOf<'revokeToken'> = {}, options?: UnkeyedOptions) =>
    call('revokeToken', { params: { token_id: id }, query }, options),
})
