import { describe, expect, it } from 'vitest'
import { toStorageError } from './errors.ts'

const refusal = (code: string, message = '') =>
  `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`

describe('StorageError', () => {
  it('contains the error of storage and a hint', () => {
    const error = toStorageError({ status: 403, text: refusal('RequestTimeTooSkewed', 'Too far') })
    expect(error).toMatchObject({ status: 403, code: 'RequestTimeTooSkewed' })
    expect(error.message).toBe(
      'Storage responded with 403 RequestTimeTooSkewed Too far. The clocks of the service and of storage differ. The operator must synchronize them.',
    )
  })

  it.each([
    [413, '<html>413 Request Entity Too Large</html>', 'Raise its limit'],
    [502, '', 'Retry later'],
    [404, '<html>', 'to a proxy in front of it'],
    [400, refusal('SomethingNew'), 'Storage responded with 400 SomethingNew. '],
  ])('contains a hint for status %i with an unknown code', (status, text, sentence) => {
    expect(toStorageError({ status, text }).message).toContain(sentence)
  })
})
