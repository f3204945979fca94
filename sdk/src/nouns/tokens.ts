import type { BodyOf, Caller, QueryOf } from '../http/call.ts'
import { listOf } from '../http/list.ts'
import type { CallOptions, UnkeyedOptions } from '../http/settings.ts'

/** API tokens of the organization, such as the one that this client was made with. */
export const tokens = ({ call }: Caller) => ({
  /** The answer holds the token itself, this once. */
  create: (body: BodyOf<'createToken'>, options?: CallOptions) =>
    call('createToken', { body }, options),

  /** Without the tokens themselves. */
  list: (query: QueryOf<'listTokens'> = {}, options?: UnkeyedOptions) =>
    listOf((cursor) => call('listTokens', { query: { ...query, ...cursor } }, options)),

  /** The one that this client was made with. */
  readCurrent: (options?: UnkeyedOptions) => call('readCurrentToken', {}, options),

  read: (id: string, options?: UnkeyedOptions) =>
    call('readToken', { params: { token_id: id } }, options),

  /** A new one in its place; for `overlap_seconds` both are valid. */
  rotate: (id: string, body: BodyOf<'rotateToken'> = {}, options?: CallOptions) =>
    call('rotateToken', { params: { token_id: id }, body }, options),

  revoke: (id: string, options?: UnkeyedOptions) =>
    call('revokeToken', { params: { token_id: id } }, options),
})
