import { Type } from 'typebox'
import { closed, nullable } from '../fields.ts'
import { AssetId } from '../library/assets.ts'
import type { Operation } from '../operation.ts'

/** Seconds before and after `around` whose frames are returned. At most 60 fps make that at most 241 frames. */
export const FRAMES_SECONDS = 2

const Frame = Type.Object(
  {
    number: Type.Integer({ minimum: 0, description: 'Number of the frame; the first frame of the video is 0.' }),
    time: Type.Number({ description: 'When players show the frame, in seconds.' }),
    is_keyframe: Type.Boolean({ description: 'Whether every rendition has a keyframe here.' }),
  },
  { title: 'Frame' },
)

export const Frames = Type.Object(
  {
    frame_rate: nullable(
      Type.Object({ numerator: Type.Integer({ minimum: 1 }), denominator: Type.Integer({ minimum: 1 }) }),
      'Exact frame rate of every rendition, such as 30000/1001; null until the file has been probed.',
    ),
    frame_count: nullable(Type.Integer({ minimum: 1 }), 'Number of frames of the video.'),
    keyframe_interval: nullable(Type.Integer({ minimum: 1 }), 'Number of frames from one keyframe to the next.'),
    frames: Type.Array(Frame, { description: 'In order; empty until the file has been probed.' }),
  },
  { title: 'Frames' },
)
export type Frames = Type.Static<typeof Frames>

export const readFrames = {
  id: 'readFrames',
  tag: 'Assets',
  idempotent: false,
  method: 'GET',
  path: '/assets/:asset_id/frames/',
  summary: 'Retrieve frame times of an asset',
  description: `Returns the exact presentation times of the frames within ${FRAMES_SECONDS} seconds of \`around\`. All renditions have the same frames at a constant rate, also if the frame rate of the uploaded file is variable: frame \`number\` is shown from \`number × denominator / numerator\` seconds on. After the end, the last frames are returned.`,
  scopes: ['assets:read'],
  params: Type.Object({ asset_id: AssetId }),
  query: Type.Object(
    {
      around: Type.Number({
        minimum: 0,
        maximum: 1_000_000_000,
        description: 'Position in the video in seconds.',
      }),
    },
    closed,
  ),
  body: undefined,
  success: { status: 200, body: Frames },
  errors: ['asset_not_found'],
} as const satisfies Operation

export const operations = [readFrames] as const
