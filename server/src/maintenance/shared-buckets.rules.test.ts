import { expect, it } from 'vitest'
import { sharedBucket } from './shared-buckets.rules.ts'

const live = {
  endpoint: 'http://storage:9000',
  publicEndpoint: 'https://files.example.org',
  uploadsBucket: 'uploads',
  mediaBucket: 'media',
}
const backup = { ...live, uploadsBucket: 'uploads-copies', mediaBucket: 'media-copies' }

it('sharedBucket returns undefined for different buckets, and for equal names in another storage service', () => {
  expect(sharedBucket(live, backup)).toBeUndefined()
  const elsewhere = 'http://elsewhere:9000'
  const other = { ...live, endpoint: elsewhere, publicEndpoint: elsewhere }
  expect(sharedBucket(live, other)).toBeUndefined()
})

it('sharedBucket returns a bucket that both sides use, even one for uploads and the other for media', () => {
  expect(sharedBucket(live, live)).toBe('uploads')
  expect(sharedBucket(live, { ...backup, mediaBucket: 'media' })).toBe('media')
  expect(sharedBucket(live, { ...backup, mediaBucket: 'uploads' })).toBe('uploads')
})

it.each(['http://storage:9000/', 'http://STORAGE:9000', 'https://files.example.org:443/'])(
  'sharedBucket recognizes the same storage by the URL %s',
  (endpoint) => {
    expect(sharedBucket(live, { ...backup, mediaBucket: 'media', endpoint })).toBe('media')
  },
)

it('sharedBucket recognizes the same storage by the public endpoint of either side', () => {
  const publicEndpoint = 'http://storage:9000'
  const other = {
    ...backup,
    mediaBucket: 'media',
    endpoint: 'http://10.0.0.5:9000',
    publicEndpoint,
  }
  expect(sharedBucket(live, other)).toBe('media')
  expect(sharedBucket(other, live)).toBe('media')
})
