import { S3ServiceException } from '@aws-sdk/client-s3'
import { expect, it } from 'vitest'
import { describeUnavailable, isStorageUnavailable, isUnknownVersion } from './availability.ts'

const errorWith = (httpStatusCode: number) =>
  new S3ServiceException({ name: 'UnknownError', $fault: 'client', $metadata: { httpStatusCode } })

it('isUnknownVersion is true for status 400 only', () => {
  expect(isUnknownVersion(errorWith(400))).toBe(true)
  for (const status of [403, 404, 500, 503]) expect(isUnknownVersion(errorWith(status))).toBe(false)
  expect(isUnknownVersion(new Error('socket hang up'))).toBe(false)
})

it('isStorageUnavailable is true if storage is overloaded or refuses the access key, but not for errors of a request', () => {
  for (const status of [403, 429, 500, 503]) expect(isStorageUnavailable(errorWith(status))).toBe(true)
  for (const status of [400, 404, 409, 412]) expect(isStorageUnavailable(errorWith(status))).toBe(false)
})

it('describeUnavailable states the status if the client only reports "UnknownError"', () => {
  expect(describeUnavailable(errorWith(403))).toBe('Storage refuses the access key (403).')
  expect(describeUnavailable(errorWith(503))).toBe('Storage responds with 503.')
  expect(describeUnavailable(new Error('connect ECONNREFUSED'))).toContain('connect ECONNREFUSED')
})
