import { describe, expect, it } from 'vitest'
import { originsThatMay } from './upload-origins.rules.ts'

const rule = (AllowedMethods: string[], ...AllowedOrigins: string[]) => ({
  AllowedMethods,
  AllowedOrigins,
})
const uploading = ['POST', 'PUT']

describe('origins that may upload', () => {
  it('are those of a rule that has both methods', () => {
    const rules = [rule(['POST', 'PUT'], 'https://a.example'), rule(['GET'], 'https://b.example')]
    expect(originsThatMay(uploading, rules)).toEqual(['https://a.example'])
  })

  it('may have a rule for each method', () => {
    const rules = [
      rule(['POST'], 'https://a.example', 'https://b.example'),
      rule(['PUT'], 'https://a.example'),
    ]
    expect(originsThatMay(uploading, rules)).toEqual(['https://a.example'])
  })

  it('may have one of the methods as everybody has it', () => {
    const rules = [rule(['POST'], '*'), rule(['PUT'], 'https://a.example')]
    expect(originsThatMay(uploading, rules)).toEqual(['https://a.example'])
  })

  it('are none without rules', () => {
    expect(originsThatMay(uploading, [])).toEqual([])
  })
})
