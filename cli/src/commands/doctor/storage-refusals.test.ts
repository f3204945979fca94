/** Of storages that are not ours to run: what Amazon, MinIO and proxies answer. */
import { describe, expect, it } from 'vitest'
import { explainRefusal, refusalIn } from './storage-refusals.ts'

const xml = (code: string, message = '') =>
  `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`

describe('a refusal', () => {
  it.each([
    ['storage-signature', 403, xml('SignatureDoesNotMatch', 'The request signature we calculated')],
    ['storage-key', 403, xml('InvalidAccessKeyId')],
    ['storage-bucket', 404, xml('NoSuchBucket')],
    ['storage-clock', 403, xml('RequestTimeTooSkewed')],
    ['storage-clock', 403, xml('AccessDenied', 'Invalid according to Policy: Policy expired.')],
    ['storage-limit', 413, '<html>413 Request Entity Too Large</html>'],
    ['storage-refused', 400, xml('InvalidArgument', 'x')],
    ['storage-refused', 502, '<html>Bad Gateway</html>'],
  ])('is called %s: %d %s', (name, status, body) => {
    const verdict = explainRefusal(refusalIn(status, body))
    expect(verdict).toMatchObject({ name, state: 'fault' })
  })

  it('that nobody knows is told as it came', () => {
    const { detail } = explainRefusal(refusalIn(400, xml('Odd', 'A strange thing')))
    expect(detail).toBe('Storage refused the file with 400 Odd: A strange thing.')
  })
})
