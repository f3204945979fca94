/** Malformed files in containers other than MP4 and Matroska. */
import { ascii, patched, randomBytes, uint16, uint32 } from './bytes.ts'
import { anyResult, type HostileRecipe, refused } from './hostile-file.ts'

const packet = (header: string, fill: number) => {
  const bytes = Buffer.alloc(188, fill)
  Buffer.from(header, 'hex').copy(bytes)
  return bytes
}
const repeated = (bytes: Buffer, count: number) => Buffer.concat(Array.from({ length: count }, () => bytes))

/** Computes the CRC of an MPEG transport stream table. Demuxers ignore a table without a valid CRC. */
function checksum(bytes: Buffer): Buffer {
  let crc = 0xffff_ffff
  for (const byte of bytes) {
    crc ^= byte << 24
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000_0000 ? (crc << 1) ^ 0x04c1_1db7 : crc << 1
  }
  return uint32(crc)
}
function table(pid: number, id: number, body: Buffer): Buffer {
  const section = Buffer.concat([Buffer.from([id]), uint16(0xb000 | (body.length + 4)), body])
  const whole = Buffer.concat([section, checksum(section)])
  const head = Buffer.concat([Buffer.from([0x47]), uint16(0x4000 | pid), Buffer.from([0x10, 0])])
  return Buffer.concat([head, whole, Buffer.alloc(188 - head.length - whole.length, 0xff)])
}
/** Creates transport stream programs with thirty streams each, the most that fit into a packet. */
function manyPrograms(count: number): Buffer {
  const packets = Array.from({ length: count }, (_, program) => {
    const directory = table(
      0,
      0,
      Buffer.concat([uint16(1), Buffer.from([0xc1, 0, 0]), uint16(program + 1), uint16(0xe000 | (0x1000 + program))]),
    )
    const streams = Array.from({ length: 30 }, (_, n) =>
      Buffer.concat([Buffer.from([0x1b]), uint16(0xe000 | (0x100 + program * 30 + n)), uint16(0xf000)]),
    )
    const body = Buffer.concat([
      uint16(program + 1),
      Buffer.from([0xc1, 0, 0]),
      uint16(0xe100),
      uint16(0xf000),
      ...streams,
    ])
    return Buffer.concat([directory, table(0x1000 + program, 2, body)])
  })
  return Buffer.concat([...packets, repeated(packet('471fff10', 0xff), 200)])
}

const page = (serial: number) =>
  Buffer.concat([
    ascii('OggS\0\x02'),
    Buffer.alloc(8),
    uint32(serial),
    Buffer.alloc(8),
    Buffer.from([1, 8]),
    ascii('\x01vorbis\0'),
  ])

const flvTag = (type: number, body: Buffer) =>
  Buffer.concat([Buffer.from([type]), uint32(body.length).subarray(1), Buffer.alloc(7), body, uint32(body.length + 11)])
const flvHeader = ascii('FLV\x01\x05\0\0\0\x09\0\0\0\0')
const metadata = Buffer.concat([Buffer.from([2]), uint16(10), ascii('onMetaData')])
const nestedArrays = (depth: number) => repeated(Buffer.from([0x0a, 0, 0, 0, 1]), depth)

export type OtherFilms = {
  readonly avi: Buffer
  readonly ts: Buffer
  readonly wmv: Buffer
  readonly mxf: Buffer
  readonly ogv: Buffer
}

export const otherRecipes = ({ avi, ts, wmv, mxf, ogv }: OtherFilms): HostileRecipe[] => [
  refused('null-packets.ts', repeated(packet('471fff10', 0xff), 10_000)),
  refused('empty-packets.ts', repeated(packet('47010010', 0), 10_000)),
  refused('streams-3000.ts', manyPrograms(100), 'too_many_streams', 'probe_too_costly', 'file_damaged'),
  anyResult('film-in-noise.ts', Buffer.concat([ts.subarray(0, 1880), randomBytes(5, 200_000), ts])),
  refused('packs-of-nothing.mpg', repeated(Buffer.from('000001ba44000400040100000003f8', 'hex'), 100_000)),
  anyResult('index-endless.avi', patched(avi, 'idx1', 4, uint32(0xffff_ffff))),
  anyResult('index-noise.avi', patched(avi, 'idx1', 8, randomBytes(6, 1000))),
  anyResult('streams-65535.avi', patched(avi, 'avih', 32, uint32(0xffff_0000))),
  anyResult(
    'size-2-31.avi',
    patched(
      patched(avi, 'strf', 12, Buffer.from('ffffff7fffffff7f', 'hex')),
      'avih',
      40,
      Buffer.from('ffffff7fffffff7f', 'hex'),
    ),
  ),
  anyResult('rate-0.avi', patched(avi, 'strh', 28, Buffer.alloc(8))),
  anyResult(
    'lists-in-lists.avi',
    Buffer.concat([avi.subarray(0, 12), repeated(ascii('LIST\xff\xff\xff\x7fhdrl'), 20_000)]),
  ),
  refused(
    'nested-metadata.flv',
    Buffer.concat([flvHeader, flvTag(18, Buffer.concat([metadata, nestedArrays(50_000)]))]),
  ),
  refused('tags-of-nothing.flv', Buffer.concat([flvHeader, repeated(flvTag(9, Buffer.alloc(0)), 50_000)])),
  refused('tag-of-16-mib.flv', Buffer.concat([flvHeader, Buffer.from('09ffffff', 'hex'), randomBytes(8, 3000)])),
  refused('streams-20000.ogv', Buffer.concat(Array.from({ length: 20_000 }, (_, n) => page(n)))),
  anyResult('granule-endless.ogv', patched(ogv, 'OggS', 6, Buffer.alloc(8, 0x7f))),
  anyResult('header-of-2-63.wmv', patched(wmv, Buffer.from('3026b2758e66cf11', 'hex'), 16, Buffer.alloc(8, 0x7f))),
  anyResult('objects-of-zero.wmv', Buffer.concat([wmv.subarray(0, 30), Buffer.alloc(100_000)])),
  anyResult(
    'packs-of-2-63.mxf',
    Buffer.concat([mxf.subarray(0, 16), Buffer.from('887fffffffffffffff', 'hex'), mxf.subarray(20, 5000)]),
  ),
  anyResult('twice.mxf', Buffer.concat([mxf.subarray(0, 20_000), mxf])),
]
