import { describe, expect, it } from 'vitest'
import { toStorageError } from './errors.ts'

const refusal = (code: string, message = '') =>
  `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`

describe('a refusal of storage', () => {
  it('is told in its words, with its cure', () => {
    const error = toStorageError({ status: 403, text: refusal('RequestTimeTooSkewed', 'Too far') })
    expect(error).toMatchObject({ status: 403, code: 'RequestTimeTooSkewed' })
    expect(error.message).toBe(
      'Storage answered 403 RequestTimeTooSkewed Too far. The clocks of the service and of storage differ: whoever runs them sets them right.',
    )
  })

  it.each([
    [413, '<html>413 Request Entity Too Large</html>', 'raise its limit'],
    [502, '', 'try again later'],
    [404, '<html>', 'or to something in front of it?'],
    [400, refusal('SomethingNew'), 'Storage answered 400 SomethingNew. '],
  ])('%i without words that are known still says what to do', (status, text, sentence) => {
    expect(toStorageError({ status, text }).message).toContain(sentence)
  })
})
