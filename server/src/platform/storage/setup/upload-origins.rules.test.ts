import { describe, expect, it } from 'vitest'
import { originsAllowing } from './upload-origins.rules.ts'

const rule = (AllowedMethods: string[], ...AllowedOrigins: string[]) => ({
  AllowedMethods,
  AllowedOrigins,
})
const uploading = ['POST', 'PUT']

describe('originsAllowing', () => {
  it('returns the origins of a rule with both methods', () => {
    const rules = [rule(['POST', 'PUT'], 'https://a.example'), rule(['GET'], 'https://b.example')]
    expect(originsAllowing(uploading, rules)).toEqual(['https://a.example'])
  })

  it('accepts one rule per method', () => {
    const rules = [rule(['POST'], 'https://a.example', 'https://b.example'), rule(['PUT'], 'https://a.example')]
    expect(originsAllowing(uploading, rules)).toEqual(['https://a.example'])
  })

  it('accepts a wildcard rule for one of the methods', () => {
    const rules = [rule(['POST'], '*'), rule(['PUT'], 'https://a.example')]
    expect(originsAllowing(uploading, rules)).toEqual(['https://a.example'])
  })

  it('returns nothing without rules', () => {
    expect(originsAllowing(uploading, [])).toEqual([])
  })
})
