import { describe, expect, it } from 'vitest'
import { parseResults } from './parse-results.ts'

const result = { name: 'service-storage', state: 'fault', detail: 'Away.', cure: 'Start it.' }

describe('parseResults', () => {
  it('returns the results unchanged', () => {
    expect(parseResults(JSON.stringify({ findings: [result] }))).toEqual([result])
  })

  it('converts an unknown state to a warning', () => {
    const later = { ...result, state: 'tired', cure: undefined }
    expect(parseResults(JSON.stringify({ findings: [later] }))).toEqual([
      { ...result, state: 'warning', cure: null },
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
  ])('returns undefined for a response that is not from Reelkeep: %s', (text) => {
    expect(parseResults(text)).toBeUndefined()
  })
})
