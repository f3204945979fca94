import type { BodyOf, Caller, QueryOf } from '../http/call.ts'
import { listOf } from '../http/list.ts'
import type { CallOptions, UnkeyedOptions } from '../http/settings.ts'

/** Keys that your own server signs playback tokens with, without asking. */
export const signingKeys = ({ call }: Caller) => ({
  /** The answer holds the private key, this once. */
  create: (body: BodyOf<'createSigningKey'>, options?: CallOptions) =>
    call('createSigningKey', { body }, options),

  list: (query: QueryOf<'listSigningKeys'> = {}, options?: UnkeyedOptions) =>
    listOf((cursor) => call('listSigningKeys', { query: { ...query, ...cursor } }, options)),

  /** Nothing plays any more by tokens that it has signed. */
  delete: (id: string, options?: UnkeyedOptions) =>
    call('deleteSigningKey', { params: { signing_key_id: id } }, options),
})
