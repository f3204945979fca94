import type { BodyOf, Caller } from '../../http/call.ts'
import { listOf } from '../../http/list.ts'
import type { CallOptions, ConditionalOptions, UnkeyedOptions } from '../../http/settings.ts'

/** Named sets of scopes for members: built-in ones, and those of the organization. */
export const roles = ({ call }: Caller) => ({
  create: (body: BodyOf<'createRole'>, options?: CallOptions) => call('createRole', { body }, options),

  /** Lists all roles in one page, the built-in ones first. */
  list: (options?: UnkeyedOptions) => listOf(() => call('listRoles', {}, options)),

  read: (id: string, options?: UnkeyedOptions) => call('readRole', { params: { role_id: id } }, options),

  /**
   * Changes a custom role, and the scopes of all members who have it. With `ifMatch`, fails if the role has changed
   * since it was read.
   */
  update: (id: string, body: BodyOf<'updateRole'>, options?: ConditionalOptions) =>
    call('updateRole', { params: { role_id: id }, body }, options),

  /** Deletes a custom role that is not in use. */
  delete: (id: string, options?: UnkeyedOptions) => call('deleteRole', { params: { role_id: id } }, options),
})
