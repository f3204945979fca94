/** Tests with responses of Amazon S3, MinIO and proxies, which are not available in tests. */
import { describe, expect, it } from 'vitest'
import { explainStorageError, parseStorageError } from './storage-errors.ts'

const xml = (code: string, message = '') =>
  `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`

describe('explainStorageError', () => {
  it.each([
    ['storage-signature', 403, xml('SignatureDoesNotMatch', 'The request signature we calculated')],
    ['storage-key', 403, xml('InvalidAccessKeyId')],
    ['storage-bucket', 404, xml('NoSuchBucket')],
    ['storage-clock', 403, xml('RequestTimeTooSkewed')],
    ['storage-clock', 403, xml('AccessDenied', 'Invalid according to Policy: Policy expired.')],
    ['storage-limit', 413, '<html>413 Request Entity Too Large</html>'],
    ['storage-refused', 400, xml('InvalidArgument', 'x')],
    ['storage-refused', 502, '<html>Bad Gateway</html>'],
  ])('returns %s for status %d with %s', (name, status, body) => {
    const outcome = explainStorageError(parseStorageError(status, body))
    expect(outcome).toMatchObject({ name, status: 'failed' })
  })

  it('quotes an unknown error', () => {
    const { detail } = explainStorageError(parseStorageError(400, xml('Odd', 'A strange thing')))
    expect(detail).toBe('Storage refused the file with 400 Odd: A strange thing.')
  })
})
