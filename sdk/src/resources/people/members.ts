import type { BodyOf, Caller, QueryOf } from '../../http/call.ts'
import { listOf } from '../../http/list.ts'
import type { CallOptions, ConditionalOptions, UnkeyedOptions } from '../../http/settings.ts'

/** The people who can act for the organization. */
export const members = ({ call }: Caller) => ({
  /** Lists the members, newest first. */
  list: (query: QueryOf<'listMembers'> = {}, options?: UnkeyedOptions) =>
    listOf((cursor) => call('listMembers', { query: { ...query, ...cursor } }, options)),

  /** Returns the member who is signed in. Fails for a client with an API token. */
  readCurrent: (options?: UnkeyedOptions) => call('readCurrentMember', {}, options),

  read: (id: string, options?: UnkeyedOptions) => call('readMember', { params: { member_id: id } }, options),

  /** Changes the role or the folder. With `ifMatch`, fails if the member has changed since it was read. */
  update: (id: string, body: BodyOf<'updateMember'>, options?: ConditionalOptions) =>
    call('updateMember', { params: { member_id: id }, body }, options),

  /** Ends the membership, with `descendants` also everything that the member created. */
  remove: (id: string, query: QueryOf<'removeMember'> = {}, options?: UnkeyedOptions) =>
    call('removeMember', { params: { member_id: id }, query }, options),

  /** Returns a link with which the member sets a new password or passkey. It is shown only once. */
  createRecoveryLink: (id: string, options?: CallOptions) =>
    call('createRecoveryLink', { params: { member_id: id } }, options),
})
