/** Events about invitations. They contain neither the link nor the email address. */
import { about, type NewEvent } from '../events/events.ts'
import type { Invitation } from './invitations.rules.ts'

export const memberInvited = ({ id, roleId: role }: Pick<Invitation, 'id' | 'roleId'>): NewEvent =>
  about(id, { type: 'member.invited', data: { id, role } })
