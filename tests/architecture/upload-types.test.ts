/** Compares the file types that the CLI refuses to upload with those that the service supports. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { foreignKind } from '../../cli/src/commands/upload/files/file-kind.ts'
import { detectFormat } from '../../media/src/probe/container/detect-format.ts'

/** Beginnings of supported, unsupported and unknown files, of which a file can have two, one over the other. */
const beginnings = [
  ...[
    '\0\0\0\x18ftypisom',
    '\0\0\0\x14ftypqt  ',
    '\0\0\0\x18ftypheic',
    '\0\0\0\x18stypmsdh',
    '\0\0\0\x08wide\0\0\0\0mdat',
  ],
  ...[
    '\x1a\x45\xdf\xa3',
    'RIFF\0\0\0\0AVI ',
    'RIFF\0\0\0\0WEBP',
    'FLV\x01',
    'OggS\0',
    '\x30\x26\xb2\x75\x8e\x66\xcf\x11',
  ],
  ...[
    '\0\0\x01\xba',
    '\x06\x0e\x2b\x34\x02\x05\x01\x01\x0d\x01\x02\x01\x01',
    '\xff\xd8\xff',
    '\x89PNG\r\n',
    'II*\0',
    'MM\0*',
  ],
  ...[
    '8BPS',
    '%PDF-',
    'PK\x03\x04',
    '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1',
    'Rar!\x1a\x07',
    '\x1f\x8b\x08',
    '\xfd7zXZ\0',
    '\x7fELF',
  ],
]

const head = fc
  .record({
    contents: fc.oneof(
      fc.uint8Array({ minLength: 16, maxLength: 100 }).map((bytes) => Buffer.from(bytes)),
      fc.string({ unit: 'grapheme', minLength: 16, maxLength: 100 }).map((text) => Buffer.from(text)),
    ),
    written: fc.array(fc.tuple(fc.constantFrom(...beginnings), fc.constantFrom(0, 0, 4)), { maxLength: 2 }),
    packets: fc.option(fc.tuple(fc.constantFrom(188, 192, 204), fc.nat({ max: 203 }))),
  })
  .map(({ contents, written, packets }) => {
    const bytes = packets ? Buffer.concat([contents, Buffer.alloc(1500)]) : contents
    for (const [text, at] of written) bytes.write(text, at, 'latin1')
    if (packets) for (let at = packets[1]; at < bytes.length; at += packets[0]) bytes[at] = 0x47
    return bytes
  })

it('the CLI never refuses a file that the service supports', () => {
  fc.assert(
    fc.property(head, (bytes) => {
      if (detectFormat(bytes).kind === 'container') expect(foreignKind(bytes)).toBeUndefined()
    }),
    { numRuns: 2000 },
  )
})
