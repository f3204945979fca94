import type { BodyOf, Caller, QueryOf } from '../../http/call.ts'
import { listOf } from '../../http/list.ts'
import type { CallOptions, UnkeyedOptions } from '../../http/settings.ts'

/** One-time links with which people join the organization. */
export const invitations = ({ call }: Caller) => ({
  /** Returns the link, which is shown only once. */
  create: (body: BodyOf<'createInvitation'>, options?: CallOptions) => call('createInvitation', { body }, options),

  /** Lists the open invitations, without their links. */
  list: (query: QueryOf<'listInvitations'> = {}, options?: UnkeyedOptions) =>
    listOf((cursor) => call('listInvitations', { query: { ...query, ...cursor } }, options)),

  /** Ends an open invitation; its link no longer works. */
  revoke: (id: string, options?: UnkeyedOptions) =>
    call('revokeInvitation', { params: { invitation_id: id } }, options),
})
