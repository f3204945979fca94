/** Events about tokens, and about members who are removed. They never contain the secret or the scopes. */
import { about, type NewEvent } from '../events/events.ts'
import type { Token } from './tokens.rules.ts'

type TokenSummary = Pick<Token, 'id' | 'name'>

export const tokenCreated = (token: TokenSummary): NewEvent =>
  about(token.id, { type: 'token.created', data: dataOf(token) })

/** The token was replaced by a new one and expires soon. */
export const tokenRotated = (token: TokenSummary): NewEvent =>
  about(token.id, { type: 'token.rotated', data: dataOf(token) })

export const tokenRevoked = (token: TokenSummary): NewEvent =>
  about(token.id, { type: 'token.revoked', data: dataOf(token) })

/** A member was removed, alone or with the principal that invited it. */
export const memberRemoved = ({ id, name, role }: TokenSummary & { readonly role: string }): NewEvent =>
  about(id, { type: 'member.removed', data: { id, name, role } })

const dataOf = ({ id, name }: TokenSummary) => ({ id, name })
