/** Text files with paths and URLs that pretend to be videos, and other files that are not videos. */
import { deflateRawSync, gzipSync } from 'node:zlib'
import { ascii, box, randomBytes, uint32 } from './bytes.ts'
import { anyResult, type HostileRecipe, refused } from './hostile-file.ts'

/** Port of the canary server; only tests listen on it. */
export const CANARY_PORT = 18_977
export const canaryUrl = `http://127.0.0.1:${CANARY_PORT}/latest/meta-data`

const hls = (target: string) => `#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n${target}\n#EXT-X-ENDLIST\n`
const dash = (target: string) =>
  `<?xml version="1.0"?>\n<MPD type="static"><Period><AdaptationSet><Representation id="1"><BaseURL>${target}</BaseURL></Representation></AdaptationSet></Period></MPD>`

const targets = {
  http: `${canaryUrl}?x=.ts`,
  'http-fragment': `${canaryUrl}#.ts`,
  passwd: 'file:///etc/passwd',
  subfile: 'subfile,,start,0,end,0,,:/etc/passwd',
  concat: `concat:/etc/passwd|${canaryUrl}`,
  data: 'data:video/mp4;base64,AAAAIGZ0eXA=',
  gopher: `gopher://127.0.0.1:${CANARY_PORT}/x`,
  neighbour: 'plain.mp4',
}

const playlists = Object.entries(targets).flatMap(([name, target]) => [
  refused(`hls-${name}.mp4`, hls(target), 'not_a_video'),
  refused(`dash-${name}.mp4`, dash(target), 'not_a_video'),
  refused(`ffconcat-${name}.mp4`, `ffconcat version 1.0\nfile '${target}'\n`, 'not_a_video'),
])

const otherTexts = [
  refused('hls-bom.mp4', `\ufeff${hls(canaryUrl)}`, 'not_a_video'),
  refused(
    'hls-key.mp4',
    hls('a.ts').replace('#EXTINF', `#EXT-X-KEY:METHOD=AES-128,URI="${canaryUrl}"\n#EXTINF`),
    'not_a_video',
  ),
  refused('hls-after-newlines.mp4', `\n\n\n${hls(canaryUrl)}`, 'not_a_video'),
  refused(
    'stream.sdp.mp4',
    `v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nm=video ${CANARY_PORT} RTP/AVP 96\n`,
    'not_a_video',
  ),
  refused('ffmetadata.mp4', ';FFMETADATA1\ntitle=x\n', 'not_a_video'),
  refused('smooth.mp4', `<SmoothStreamingMedia><c Url="${canaryUrl}"/></SmoothStreamingMedia>`, 'not_a_video'),
  refused('svg.mp4', `<svg xmlns="http://www.w3.org/2000/svg"><image href="${canaryUrl}"/></svg>`, 'not_a_video'),
  refused(
    'entity.mp4',
    `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY y SYSTEM "${canaryUrl}">]><x>&y;</x>`,
    'not_a_video',
  ),
  refused('error-page.mp4', '<!DOCTYPE html><html><body>404</body></html>', 'not_a_video'),
  refused('json.mp4', '{"error":"not found"}', 'not_a_video'),
  refused('script.mp4', '#!/bin/sh\ncat /etc/passwd\n', 'not_a_video'),
  refused('ascii-art.mp4', ' /\\_/\\ \n( o.o )\n > ^ <\n'.repeat(400), 'not_a_video'),
  refused('utf16.mp4', Buffer.from(`\ufeff${hls(canaryUrl)}`, 'utf16le'), 'not_a_video'),
  refused('pls.mp4', `[playlist]\nFile1=${canaryUrl}\n`, 'not_a_video'),
  refused('image-sequence.mp4', '/etc/%d.jpg\n', 'not_a_video'),
]

/** The first bytes of a container, followed by a text. */
const polyglots = [
  refused(
    'ftyp-then-hls.mp4',
    Buffer.concat([box('ftyp', ascii('isom'), uint32(0)), ascii(hls(canaryUrl))]),
    'file_damaged',
  ),
  refused('free-of-hls.mp4', box('free', ascii(hls(canaryUrl))), 'file_damaged'),
  refused('mdat-of-dash.mp4', box('mdat', ascii(dash(canaryUrl))), 'file_damaged'),
  refused('ebml-then-hls.mkv', Buffer.concat([Buffer.from('1a45dfa3', 'hex'), ascii(hls(canaryUrl))]), 'file_damaged'),
  refused(
    'riff-then-ffconcat.avi',
    ascii(`RIFF\xff\xff\0\0AVI ffconcat version 1.0\nfile ${canaryUrl}\n`),
    'file_damaged',
  ),
  refused('flv-then-hls.flv', ascii(`FLV\x01\x05\0\0\0\x09\0\0\0\0${hls(canaryUrl)}`)),
  refused('ogg-then-hls.ogv', ascii(`OggS\0\x02${hls(canaryUrl)}`)),
  // Text with the sync bytes of a transport stream.
  refused('transport-of-hls.ts', transportOf(hls(canaryUrl).repeat(60))),
]

function transportOf(text: string): Buffer {
  const bytes = ascii(text)
  for (let at = 0; at < bytes.length; at += 188) bytes[at] = 0x47
  return bytes
}

const zeros = Buffer.alloc(50 * 2 ** 20)
const zipEntry = (() => {
  const packed = deflateRawSync(zeros)
  const header = Buffer.alloc(30)
  header.write('PK\x03\x04', 'latin1')
  header.writeUInt16LE(8, 8)
  header.writeUInt32LE(packed.length, 18)
  header.writeUInt32LE(zeros.length, 22)
  header.writeUInt16LE(1, 26)
  return Buffer.concat([header, ascii('x'), packed])
})()

const iso = Buffer.alloc(65_536)
iso.write('\x01CD001\x01', 32_768, 'latin1')

const otherFiles = [
  refused('zip-bomb.mp4', zipEntry, 'not_a_video'),
  refused('gzip-bomb.mp4', gzipSync(zeros), 'not_a_video'),
  refused('disc-image.mp4', iso, 'not_a_video'),
  refused('pdf.mp4', '%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'not_a_video'),
  refused('png.mp4', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), 'not_a_video'),
  refused('heic.mp4', box('ftyp', ascii('heic'), uint32(0), ascii('mif1heic')), 'not_a_video'),
  refused('webp.mp4', ascii('RIFF\x10\0\0\0WEBPVP8 '), 'not_a_video'),
  refused('program.mp4', Buffer.concat([ascii('\x7fELF'), randomBytes(7, 4096)]), 'not_a_video'),
  refused('database.mp4', ascii('SQLite format 3\0'), 'not_a_video'),
  refused('midi.mp4', ascii('MThd\0\0\0\x06'), 'no_video_stream'),
  refused('wave.mp4', ascii('RIFF\x24\0\0\0WAVEfmt '), 'no_video_stream'),
  refused('real-media.mp4', ascii('.RMF\0\0\0\x12'), 'container_not_supported'),
  refused('bare-h264.mp4', Buffer.from('0000000167640028', 'hex'), 'container_not_supported'),
]

/** Files of a few bytes. */
const tinyFiles = [
  ...['', '\0', 'G', '\0\0\0\x08', '\0\0\0\x08ftyp', 'RIFF', 'RIFF\0\0\0\0AVI ', 'OggS', 'OggS\0', 'FLV\x01'],
  ...['\x1a\x45\xdf\xa3', '\0\0\x01\xba', '\0\0\0\0mdat', '\0\0\0\x01mdat', '\x30\x26\xb2\x75\x8e\x66\xcf\x11', 'BM'],
].map((bytes, index) => refused(`crumb-${index}.mp4`, ascii(bytes)))

const noise = Array.from({ length: 8 }, (_, seed) =>
  refused(`noise-${seed}.mp4`, randomBytes(seed + 1, 2 ** (10 + seed)), 'not_a_video'),
)
const noiseWithMagic = [
  ...[
    '\0\0\0\x18ftypisom',
    '\x1a\x45\xdf\xa3',
    'OggS\0\x02',
    'FLV\x01\x05\0\0\0\x09',
    '\0\0\x01\xba',
    'RIFF\xff\xff\0\0AVI ',
  ],
].map((magic, index) =>
  anyResult(`noise-with-magic-${index}.mp4`, Buffer.concat([ascii(magic), randomBytes(100 + index, 300_000)])),
)

export const textRecipes: readonly HostileRecipe[] = [
  ...[...playlists, ...otherTexts, ...polyglots, ...otherFiles, ...tinyFiles, ...noise, ...noiseWithMagic],
]
