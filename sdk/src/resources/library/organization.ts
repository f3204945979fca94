import type { BodyOf, Caller } from '../../http/call.ts'
import type { ConditionalOptions, UnkeyedOptions } from '../../http/settings.ts'

/** The organization of the token: its settings. */
export const organization = ({ call }: Caller) => ({
  read: (options?: UnkeyedOptions) => call('readOrganization', {}, options),

  /** Changes the given settings. With `ifMatch`, fails if they have changed since they were read. */
  update: (body: BodyOf<'updateOrganization'>, options?: ConditionalOptions) =>
    call('updateOrganization', { body }, options),
})
