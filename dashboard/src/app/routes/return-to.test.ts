import { describe, expect, it } from 'vitest'
import { safeReturnTo } from './return-to.ts'

describe('safeReturnTo', () => {
  it.each(['/', '/account', '/account?tab=sessions#list', '/docs/guides/'])('keeps the path %s', (path) => {
    expect(safeReturnTo(path)).toBe(path)
  })

  it.each([
    undefined,
    '',
    'account',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/\n//evil.example/',
    '/.//evil.example',
    '/..//evil.example',
    'https://evil.example/',
    'javascript:alert(1)',
    ' /account',
    '/api/account/sign-in/oidc/other/',
    '/API/v1/',
    '/docs/../api/v1/',
    '/sign-in?return_to=/sign-in',
  ])('returns / for %j', (text) => {
    expect(safeReturnTo(text)).toBe('/')
  })
})
