import { describe, expect, it } from 'vitest'
import { requestErrorReason } from './request-errors.ts'

describe('requestErrorReason', () => {
  it.each([
    ['ECONNREFUSED', 'The connection was refused.'],
    ['UND_ERR_SOCKET', 'The connection was closed before the response was complete.'],
    ['CERT_HAS_EXPIRED', 'TLS failed: CERT_HAS_EXPIRED.'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'TLS failed: UNABLE_TO_VERIFY_LEAF_SIGNATURE.'],
    ['HPE_INVALID_CONSTANT', 'The response is not HTTP.'],
    ['EOTHER', 'The request failed: EOTHER.'],
  ])('explains %s as: %s', (code, reason) => {
    expect(requestErrorReason({ code })).toBe(reason)
  })

  it('uses the first error if all addresses of a host fail', () => {
    const error = new AggregateError([{ code: 'ECONNREFUSED' }, { code: 'EOTHER' }])
    expect(requestErrorReason(new Error('failed', { cause: error }))).toBe('The connection was refused.')
  })
})
