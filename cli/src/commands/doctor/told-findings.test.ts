import { describe, expect, it } from 'vitest'
import { findingsIn } from './told-findings.ts'

const finding = { name: 'service-storage', state: 'fault', detail: 'Away.', cure: 'Start it.' }

describe('what an operations port tells', () => {
  it('is taken as it is', () => {
    expect(findingsIn(JSON.stringify({ findings: [finding] }))).toEqual([finding])
  })

  it('is a warning if its state is not known', () => {
    const later = { ...finding, state: 'tired', cure: undefined }
    expect(findingsIn(JSON.stringify({ findings: [later] }))).toEqual([
      { ...finding, state: 'warning', cure: null },
    ])
  })

  it.each([
    '',
    '<html>',
    'null',
    '[]',
    '{"findings":3}',
    '{"findings":[null]}',
    '{"findings":[{}]}',
  ])('is none of ours: %s', (text) => {
    expect(findingsIn(text)).toBeUndefined()
  })
})
