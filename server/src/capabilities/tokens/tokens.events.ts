/** What tokens tell: which they are, and nothing of what makes them work. */
import { about, type NewEvent } from '../events/events.ts'
import type { Token } from './tokens.rules.ts'

type ToldToken = Pick<Token, 'id' | 'name'>

export const tokenCreated = (token: ToldToken): NewEvent =>
  about(token.id, { type: 'token.created', data: dataOf(token) })

/** Another has taken its place, and it will end soon. */
export const tokenRotated = (token: ToldToken): NewEvent =>
  about(token.id, { type: 'token.rotated', data: dataOf(token) })

export const tokenRevoked = (token: ToldToken): NewEvent =>
  about(token.id, { type: 'token.revoked', data: dataOf(token) })

const dataOf = ({ id, name }: ToldToken) => ({ id, name })
