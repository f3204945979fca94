/**
 * Validates ffprobe's output, which an uploaded file can influence: texts are limited in length,
 * numbers are finite, and invalid values become undefined.
 */
import { z } from 'zod'

const TEXT_LENGTH_MAX = 200

/** Removes control and formatting characters, and lone surrogates, which cannot be stored. */
const clean = (text: string) =>
  text
    .toWellFormed()
    .replace(/\p{Cc}/gu, ' ')
    .replace(/[^\P{Cf}\u200c\u200d]/gu, '')
    .trim()

/** Truncates a text between characters, never inside one. */
const bounded = (text: string) => [...clean(text.slice(0, 4 * TEXT_LENGTH_MAX))].slice(0, TEXT_LENGTH_MAX).join('')

const text = z
  .string()
  .transform((value) => bounded(value) || undefined)
  .optional()
  .catch(undefined)

/** A number, which ffprobe usually writes as a string. */
const decimal = z
  .union([z.number(), z.string().regex(/^-?\d{1,20}(\.\d{1,20})?$/)])
  .transform(Number)
  .refine(Number.isFinite)
  .optional()
  .catch(undefined)

const flag = z
  .literal(1)
  .optional()
  .catch(undefined)
  .transform((value) => value === 1)

const disposition = z
  .object({ default: flag, attached_pic: flag, still_image: flag, timed_thumbnails: flag })
  .optional()
  .catch(undefined)

const sideData = z.object({ side_data_type: text, rotation: decimal })

const tags = z.object({ language: text, title: text, DURATION: text }).optional().catch(undefined)

const stream = z.object({
  index: z.int().nonnegative(),
  id: text,
  time_base: text,
  codec_type: text,
  codec_name: text,
  codec_tag_string: text,
  profile: text,
  pix_fmt: text,
  width: decimal,
  height: decimal,
  sample_aspect_ratio: text,
  r_frame_rate: text,
  avg_frame_rate: text,
  field_order: text,
  color_range: text,
  color_space: text,
  color_transfer: text,
  color_primaries: text,
  bits_per_raw_sample: decimal,
  bit_rate: decimal,
  start_time: decimal,
  duration: decimal,
  nb_frames: decimal,
  channels: decimal,
  channel_layout: text,
  sample_rate: decimal,
  disposition,
  tags,
  side_data_list: z.array(sideData).optional().catch(undefined),
})

const chapter = z.object({ start_time: decimal, end_time: decimal, tags })

const ffprobeDocument = z.object({
  streams: z.array(stream).default([]),
  chapters: z.array(chapter).default([]).catch([]),
  format: z.object({ format_name: text, duration: decimal, start_time: decimal, bit_rate: decimal }).default({
    format_name: undefined,
    duration: undefined,
    start_time: undefined,
    bit_rate: undefined,
  }),
})

export type FfprobeDocument = z.infer<typeof ffprobeDocument>
export type FfprobeStream = z.infer<typeof stream>

/** Parses ffprobe's output. Returns undefined if it is not a valid document. */
export function readFfprobeDocument(output: string): FfprobeDocument | undefined {
  try {
    return ffprobeDocument.safeParse(JSON.parse(output)).data
  } catch {
    return undefined
  }
}

/** Value of ffprobe's option `-show_entries`: ffprobe prints only the fields that are validated. */
export const shownEntries = [
  `format=${Object.keys(ffprobeDocument.shape.format.unwrap().shape).join(',')}`,
  `stream=${Object.keys(stream.shape)
    .filter((name) => !['disposition', 'tags', 'side_data_list'].includes(name))
    .join(',')}`,
  'stream_disposition=default,attached_pic,still_image,timed_thumbnails',
  'stream_tags=language,title,DURATION',
  'stream_side_data=side_data_type,rotation',
  'chapter=start_time,end_time',
  'chapter_tags=title',
].join(':')
