import { expect, it } from 'vitest'
import { acceptsEncoding } from './accepted-encoding.ts'

const accepts = (header: string | undefined) => acceptsEncoding({ headers: { 'accept-encoding': header } }, 'gzip')

it.each(['gzip', 'br, gzip', 'GZIP;q=0.001', 'deflate;q=0 , gzip ; q=1.0', 'gzip,br'])(
  'acceptsEncoding returns true for `%s`',
  (header) => expect(accepts(header)).toBe(true),
)

it.each([undefined, '', 'gzip;q=0', 'gzip; q=0.000', 'br;q=1, gzip;q=0', 'identity', 'x-gzip', 'gzip;q=none'])(
  'acceptsEncoding returns false for `%s`',
  (header) => expect(accepts(header)).toBe(false),
)
