import { describe, expect, it } from 'vitest'
import { parseResults } from './parse-results.ts'

const result = { name: 'service-storage', status: 'failed', detail: 'Away.', hint: 'Start it.' }

describe('parseResults', () => {
  it('returns the results unchanged', () => {
    expect(parseResults(JSON.stringify({ results: [result] }))).toEqual([result])
  })

  it('converts an unknown status to a warning', () => {
    const later = { ...result, status: 'tired', hint: undefined }
    expect(parseResults(JSON.stringify({ results: [later] }))).toEqual([{ ...result, status: 'warning', hint: null }])
  })

  it.each(['', '<html>', 'null', '[]', '{"results":3}', '{"results":[null]}', '{"results":[{}]}'])(
    'returns undefined for a response that is not from Reelkeep: %s',
    (text) => {
      expect(parseResults(text)).toBeUndefined()
    },
  )
})
