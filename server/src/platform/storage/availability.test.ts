import { S3ServiceException } from '@aws-sdk/client-s3'
import { expect, it } from 'vitest'
import { describeAway, isUnknownVersion } from './availability.ts'

const answered = (httpStatusCode: number) =>
  new S3ServiceException({ name: 'UnknownError', $fault: 'client', $metadata: { httpStatusCode } })

it('takes it for a version that storage does not know when the question is called wrong, and nothing else', () => {
  expect(isUnknownVersion(answered(400))).toBe(true)
  for (const status of [403, 404, 500, 503]) expect(isUnknownVersion(answered(status))).toBe(false)
  expect(isUnknownVersion(new Error('socket hang up'))).toBe(false)
})

it('tells the operator what storage answered, where its client says "UnknownError"', () => {
  expect(describeAway(answered(403))).toBe('Storage refuses the key (403).')
  expect(describeAway(answered(503))).toBe('Storage answers 503.')
  expect(describeAway(new Error('connect ECONNREFUSED'))).toContain('connect ECONNREFUSED')
})
