import { describe, expect, it } from 'vitest'
import { emailKey, passwordViolation, returnPath } from './sign-in.rules.ts'

const violation = (password: string, isCommon = false) =>
  passwordViolation(password, { email: 'Ann.Smith@Example.org', bytes: Buffer.byteLength(password), isCommon })

describe('a new password', () => {
  it('needs 12 characters, counted as people see them', () => {
    expect(violation('abcdefghijk')).toContain('at least 12 characters')
    expect(violation('abcdefghijkl')).toBeUndefined()
    expect(violation('😀😁😂🤣😃😄😅😆😉😊😋')).toContain('at least 12 characters')
    expect(violation('😀😁😂🤣😃😄😅😆😉😊😋😎')).toBeUndefined()
  })

  it('has at most 1,024 bytes', () => {
    expect(violation('abcdefgh'.repeat(128))).toBeUndefined()
    expect(violation(`${'abcdefgh'.repeat(128)}i`)).toContain('at most 1024 bytes')
  })

  it('is refused if it is common, a pattern of few characters, or the email address', () => {
    expect(violation('correct horse', true)).toContain('too easy')
    expect(violation('121212121212')).toContain('too easy')
    expect(violation('ann.smith@example.org')).toContain('email address')
  })
})

describe('an email address', () => {
  it('is compared without case and surrounding spaces', () => {
    expect(emailKey(' Ann@Example.ORG ')).toBe('ann@example.org')
  })
})

describe('the path after the sign-in', () => {
  it.each(['/', '/account', '/apiary', '/library?folder=a&sort=b#c', '/a//b'])('may be %s', (path) => {
    expect(returnPath(path)).toBe(path)
  })

  it.each([
    undefined,
    '',
    'account',
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    '/a\\b',
    '/a\nb',
    `/${'a'.repeat(1000)}`,
    '/api',
    '/api/account/sign-in/oidc/corp/',
    '/a/../api/v1/',
    '/.//API/v1/',
  ])('is the start page instead of %j', (path) => {
    expect(returnPath(path)).toBe('/')
  })
})
