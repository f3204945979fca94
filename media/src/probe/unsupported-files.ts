/** Recognizes kinds of files that are not supported, so that the error message can say what was uploaded. */

export type UnsupportedFile =
  /** Not a video; `looksLike` completes the sentence "The file looks like …". */
  | { readonly kind: 'not-a-video'; readonly looksLike: string | undefined }
  | { readonly kind: 'audio'; readonly looksLike: string }
  /** A video in a container that is not supported. */
  | { readonly kind: 'other-container'; readonly looksLike: string }

type Signature = readonly [text: string, at: number, looksLike: string]

const images: readonly Signature[] = [
  ['\xff\xd8\xff', 0, 'a JPEG image'],
  ['\x89PNG', 0, 'a PNG image'],
  ['II*\0', 0, 'a TIFF image'],
  ['MM\0*', 0, 'a TIFF image'],
  ['8BPS', 0, 'a Photoshop file'],
  ['WEBP', 8, 'a WebP image'],
  ['ftyp', 4, 'an image (HEIC, AVIF or similar)'],
  ['\0\0\0\x0cjP  ', 0, 'a JPEG 2000 image'],
  ['BM', 0, 'a bitmap image'],
]

const documents: readonly Signature[] = [
  ['%PDF', 0, 'a PDF document'],
  ['PK\x03\x04', 0, 'a ZIP archive or an office document'],
  ['PK\x05\x06', 0, 'an empty ZIP archive'],
  ['Rar!', 0, 'a RAR archive'],
  ['7z\xbc\xaf', 0, 'a 7-Zip archive'],
  ['\x1f\x8b', 0, 'a gzip archive'],
  ['BZh', 0, 'a bzip2 archive'],
  ['\xfd7zXZ', 0, 'an xz archive'],
  ['(\xb5/\xfd', 0, 'a Zstandard archive'],
  ['\xd0\xcf\x11\xe0', 0, 'an old office document'],
  ['\x7fELF', 0, 'a program'],
  ['MZ', 0, 'a program'],
  ['SQLite format 3', 0, 'a database'],
  ['ustar', 257, 'a tar archive'],
]

const audio: readonly Signature[] = [
  ['ID3', 0, 'an MP3 file'],
  ['fLaC', 0, 'a FLAC file'],
  ['WAVE', 8, 'a WAV file'],
  ['AIFF', 8, 'an AIFF file'],
  ['#!AMR', 0, 'an AMR recording'],
  ['MThd', 0, 'a MIDI file'],
  ['caff', 0, 'a CAF file'],
  ['\xff\xfb', 0, 'an MP3 file'],
  ['\xff\xf3', 0, 'an MP3 file'],
  ['\xff\xf1', 0, 'an AAC file'],
  ['\xff\xf9', 0, 'an AAC file'],
]

const otherVideos: readonly Signature[] = [
  ['GIF8', 0, 'a GIF'],
  ['.RMF', 0, 'a RealMedia file'],
  ['DKIF', 0, 'an IVF file'],
  ['YUV4MPEG2', 0, 'uncompressed video (YUV4MPEG2)'],
  ['\0\0\0\x01\x67', 0, 'a raw H.264 stream'],
  ['\0\0\0\x01\x40', 0, 'a raw H.265 stream'],
  ['\0\0\x01\xb3', 0, 'a raw MPEG video stream'],
  ['\x1f\x07\0', 0, 'a DV stream'],
  ['nut/multimedia', 0, 'a NUT file'],
]

const playlists: readonly (readonly [RegExp, string])[] = [
  [/^#EXTM3U/, 'an HLS playlist (text with links to videos)'],
  [/^ffconcat/, 'an FFmpeg file list (text with links to videos)'],
  [/^v=0\r?\n/, 'a session description (SDP, text with a link to a stream)'],
  [/^;FFMETADATA/, 'FFmpeg metadata'],
  [/^\[playlist\]/i, 'a playlist (text with links to videos)'],
  [/^WEBVTT/, 'subtitles (WebVTT)'],
  [/^\d+\r?\n\d\d:\d\d:\d\d,\d\d\d -->/, 'subtitles (SubRip)'],
  [/<MPD[\s>]/, 'a DASH manifest (text with links to videos)'],
  [/<SmoothStreamingMedia/, 'a manifest (text with links to videos)'],
  [/<svg[\s>]/i, 'an SVG drawing'],
  [/^\s*<(!doctype html|html)[\s>]/i, 'a web page, perhaps an error page that was saved instead of the video'],
  [/^\s*<\?xml|^\s*<[A-Za-z]/, 'an XML document'],
  [/^\s*[{[]/, 'a JSON document'],
]

export function identifyUnsupportedFile(head: Buffer): UnsupportedFile {
  if (head.length === 0) return { kind: 'not-a-video', looksLike: 'an empty file' }
  const other = nameOf(head, otherVideos)
  if (other) return { kind: 'other-container', looksLike: other }
  const audioFile = nameOf(head, audio)
  if (audioFile) return { kind: 'audio', looksLike: audioFile }
  return {
    kind: 'not-a-video',
    looksLike: nameOf(head, [...images, ...documents]) ?? textIn(head),
  }
}

const nameOf = (head: Buffer, signatures: readonly Signature[]) =>
  signatures.find(([text, at]) => head.toString('latin1', at, at + text.length) === text)?.[2]

/** A text file has no binary bytes in this many leading bytes. */
const TEXT_BYTES = 512

function textIn(head: Buffer): string | undefined {
  const text = head.toString('utf8').replace(/^\ufeff/, '')
  const known = playlists.find(([pattern]) => pattern.test(text))
  if (known) return known[1]
  return isText(head.subarray(0, TEXT_BYTES)) ? 'a text file' : undefined
}

/** Control characters in text files: tab, newline, form feed, carriage return and escape. */
const textControls = [9, 10, 12, 13, 27]
const isText = (bytes: Buffer) => bytes.every((byte) => byte >= 32 || textControls.includes(byte))
