/** Events about custom roles. */
import { about, type NewEvent } from '../events/events.ts'
import type { Role } from './roles.rules.ts'

type RoleName = Pick<Role, 'id' | 'name'>

export const roleCreated = (role: RoleName): NewEvent => about(role.id, { type: 'role.created', data: dataOf(role) })
export const roleUpdated = (role: RoleName): NewEvent => about(role.id, { type: 'role.updated', data: dataOf(role) })
export const roleDeleted = (role: RoleName): NewEvent => about(role.id, { type: 'role.deleted', data: dataOf(role) })

const dataOf = ({ id, name }: RoleName) => ({ id, name })
