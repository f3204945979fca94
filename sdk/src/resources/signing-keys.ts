import type { BodyOf, Caller, QueryOf } from '../http/call.ts'
import { listOf } from '../http/list.ts'
import type { CallOptions, UnkeyedOptions } from '../http/settings.ts'

/** Keys with which your own server signs playback tokens without calling the API. */
export const signingKeys = ({ call }: Caller) => ({
  /** Returns the private key, which is shown only once. */
  create: (body: BodyOf<'createSigningKey'>, options?: CallOptions) => call('createSigningKey', { body }, options),

  list: (query: QueryOf<'listSigningKeys'> = {}, options?: UnkeyedOptions) =>
    listOf((cursor) => call('listSigningKeys', { query: { ...query, ...cursor } }, options)),

  /** Deletes a key. Tokens signed with it become invalid. */
  delete: (id: string, options?: UnkeyedOptions) =>
    call('deleteSigningKey', { params: { signing_key_id: id } }, options),
})
