/** Events about members. They contain no email addresses. The events of removals are in the tokens module. */
import { about, type NewEvent } from '../events/events.ts'
import type { Member } from './members.rules.ts'

type MemberSummary = Pick<Member, 'id' | 'name' | 'roleId'>

export const memberJoined = (member: MemberSummary): NewEvent =>
  about(member.id, { type: 'member.joined', data: dataOf(member) })

export const memberChanged = (member: MemberSummary): NewEvent =>
  about(member.id, { type: 'member.changed', data: dataOf(member) })

const dataOf = ({ id, name, roleId: role }: MemberSummary) => ({ id, name, role })
