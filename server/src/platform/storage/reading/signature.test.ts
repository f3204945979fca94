import { Hash } from '@smithy/hash-node'
import { SignatureV4 } from '@smithy/signature-v4'
import { expect, it } from 'vitest'
import { encodedKey, RequestSigner } from './signature.ts'

const key = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY', region: 'eu-1' }
const library = new SignatureV4({
  ...{ service: 's3', region: key.region, credentials: key, sha256: Hash.bind(null, 'sha256') },
  uriEscapePath: false,
})

it.each([
  ['GET', '/media/a1b2c3/00000.m4s'],
  ['HEAD', `/prefix/media/${encodedKey("a key with spaces, 'quotes' (and more)!*/ü.mp4")}`],
] as const)('signs %s %s as the library does', async (method, path) => {
  const now = new Date('2026-11-19T09:30:15.123Z')
  const host = 'storage.example:9000'
  const headers = await new RequestSigner(key).headers({ method, host, path }, now)
  const request = { method, protocol: 'http:', hostname: 'storage.example', port: 9000, path, headers: { host } }
  const signed = await library.sign(
    { ...request, headers: { host, 'x-amz-content-sha256': headers['x-amz-content-sha256'] } },
    { signingDate: now },
  )
  expect({ host, ...headers }).toEqual(signed.headers)
})

it('encodedKey encodes everything but letters, digits, slashes and -._~', () => {
  expect(encodedKey("a/b-._~c d+e'(f)!*ü")).toBe('a/b-._~c%20d%2Be%27%28f%29%21%2A%C3%BC')
})
