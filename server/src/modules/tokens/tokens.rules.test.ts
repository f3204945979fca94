import { describe, expect, it } from 'vitest'
import { assertRoomForToken, assertRotatable, LIVE_TOKENS_PER_ORGANIZATION_MAX } from './tokens.rules.ts'

const error = (code: string) => expect.objectContaining({ code })

describe('assertRoomForToken', () => {
  it('allows tokens up to the limit', () => {
    expect(() => assertRoomForToken(0)).not.toThrow()
    expect(() => assertRoomForToken(LIVE_TOKENS_PER_ORGANIZATION_MAX - 1)).not.toThrow()
    expect(() => assertRoomForToken(LIVE_TOKENS_PER_ORGANIZATION_MAX)).toThrow(error('token_limit_reached'))
  })
})

describe('assertRotatable', () => {
  it('accepts a live token and rejects any other', () => {
    expect(() => assertRotatable({ isLive: true })).not.toThrow()
    expect(() => assertRotatable({ isLive: false })).toThrow(error('token_not_live'))
  })
})
