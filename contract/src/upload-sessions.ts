import { Type } from 'typebox'
import { Asset, AssetId, contentProtections, Failure, Resolution } from './assets.ts'
import {
  bodyOf,
  closed,
  noParams,
  noQuery,
  nullable,
  openSet,
  timestampField,
  titleField,
} from './fields.ts'
import { FolderReference } from './folders.ts'
import type { Operation } from './operation.ts'
import { page, pageQuery } from './page.ts'

const SessionUuid = Type.String({
  format: 'uuid',
  description: 'Identifier of an upload session: a UUID.',
  examples: ['019a83b5-6a41-7a08-8f0d-3c1f9f3a7b55'],
})

export const sessionStatuses = [
  'Created',
  'Uploading',
  'Completed',
  'Expired',
  'Cancelled',
  'Failed',
] as const
export type SessionStatus = (typeof sessionStatuses)[number]

/** The largest object that storage takes by one form, and the largest it takes at all. */
export const FORM_BYTES_MAX = 5 * 1024 ** 3
export const OBJECT_BYTES_MAX = 5 * 1024 ** 4

/** How many parts one file may have; storage sets this limit. */
export const PARTS_MAX = 10_000
/** How many parts are signed by one request. */
export const PARTS_PER_REQUEST_MAX = 1000

/** What the specification shows of an upload session. */
const sessionFields = {
  uuid: SessionUuid,
  max_file_size_bytes: Type.Integer({ description: 'Largest file this session takes, in bytes.' }),
  expires_at: timestampField,
  status: openSet(sessionStatuses, {
    description: `One of ${sessionStatuses.map((status) => `"${status}"`).join(', ')}; later versions may add others.`,
    examples: ['Created'],
  }),
}
export const UploadSession = Type.Object(
  {
    ...sessionFields,
    parts_only: Type.Optional(
      Type.Boolean({
        description:
          'Told, and true, only by a service whose storage takes no forms: send the file in parts, whatever its size. The form in `client_payload` is then good for nothing.',
      }),
    ),
  },
  { title: 'UploadSession' },
)
export type UploadSession = Type.Static<typeof UploadSession>

const detailFields = {
  ...sessionFields,
  asset_id: AssetId,
  created_at: timestampField,
  ended_at: nullable(timestampField, 'When it was completed, expired, cancelled or failed.'),
  error: nullable(Failure, 'Why it failed; null otherwise.'),
}
export const UploadSessionDetails = Type.Object(detailFields, { title: 'UploadSessionDetails' })
export type UploadSessionDetails = Type.Static<typeof UploadSessionDetails>

/** Whoever has completed an upload goes on with its asset, and need not ask for it. */
export const CompletedUploadSession = Type.Object(
  { ...detailFields, asset: Asset },
  { title: 'CompletedUploadSession' },
)
export type CompletedUploadSession = Type.Static<typeof CompletedUploadSession>

/** Every field but `upload_link` is posted as it is, with the file last. */
export const ClientPayload = Type.Object(
  {
    upload_link: Type.String({ description: 'Where the form is posted to. Not a form field.' }),
    key: Type.String(),
    'x-amz-algorithm': Type.String(),
    'x-amz-credential': Type.String(),
    'x-amz-date': Type.String(),
    policy: Type.String(),
    'x-amz-signature': Type.String(),
  },
  { title: 'ClientPayload' },
)
export type ClientPayload = Type.Static<typeof ClientPayload>

export const NewUploadSession = Type.Object(
  { asset: Asset, upload_session: UploadSession, client_payload: ClientPayload },
  { title: 'NewUploadSession' },
)
export type NewUploadSession = Type.Static<typeof NewUploadSession>

const partPlan = {
  part_size_bytes: Type.Integer({
    description: 'Every part but the last has exactly this size; the last one has what is left.',
  }),
  part_count: Type.Integer({ description: 'How many parts the file has.' }),
}

export const SignedParts = Type.Object(
  {
    ...partPlan,
    expires_at: timestampField,
    parts: Type.Array(
      Type.Object({
        number: Type.Integer(),
        bytes: Type.Integer({ description: 'The part must have exactly this size.' }),
        url: Type.String({ description: 'PUT the bytes of the part here.' }),
      }),
    ),
  },
  { title: 'SignedParts' },
)

export const ReceivedParts = Type.Object(
  {
    ...partPlan,
    file_size_bytes: Type.Integer(),
    received_bytes: Type.Integer({ description: 'The sum of the parts that have arrived.' }),
    parts: Type.Array(
      Type.Object({ number: Type.Integer(), bytes: Type.Integer(), etag: Type.String() }),
      { description: 'What has arrived, by number. Send the numbers that are missing.' },
    ),
  },
  { title: 'ReceivedParts' },
)

const fileSize = Type.Integer({
  minimum: 1,
  maximum: OBJECT_BYTES_MAX,
  description: 'Size of the file in bytes.',
})

const onSession = Type.Object({ session_uuid: SessionUuid })
const shared = { tag: 'Upload sessions', idempotent: false } as const

export const createUploadSession = {
  ...shared,
  id: 'createUploadSession',
  method: 'POST',
  path: '/assets/upload-sessions/',
  summary: 'Create an upload session',
  description:
    'Makes an asset and the signed form by which its file goes straight to storage. Post every field of `client_payload` but `upload_link`, and the file as the last field, named `file`, to `upload_link`.',
  scope: 'assets:write',
  params: noParams,
  query: noQuery,
  body: bodyOf(
    {
      title: titleField,
      resolutions: Type.Array(Resolution, {
        minItems: 1,
        maxItems: 6,
        uniqueItems: true,
        description:
          'Renditions to make, named by the shorter side of the picture. Nothing is scaled up.',
      }),
      content_protection_type: Type.Optional(
        Type.Enum([...contentProtections, 'disabled'], {
          type: 'string',
          description:
            "Absent: the organization's setting, `disable` out of the box. `disabled` is read as `disable`. `aes`: every segment is encrypted, and played by HLS alone. `drm`: common encryption, played by HLS and DASH with a licence; whose it is depends on the key provider of the service.",
        }),
      ),
      folder: Type.Optional(
        nullable(FolderReference, 'The folder to place the video in; absent or null: the root.'),
      ),
      generate_subtitle: Type.Optional(
        Type.Boolean({
          default: false,
          description:
            'Have subtitles made of what is said; they come while the video is processed.',
        }),
      ),
      file_size_bytes: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: OBJECT_BYTES_MAX,
          description:
            'Size of the file, if it is known. Needed above 5 GiB: such a file is sent in parts.',
        }),
      ),
    },
    { title: 'Lecture 1', resolutions: ['360p', '720p'] },
  ),
  success: { status: 201, body: NewUploadSession },
  idempotent: true,
  secretAnswer: true,
  errors: ['invalid_title', 'target_folder_not_found', 'file_too_large', 'drm_not_configured'],
} as const satisfies Operation

export const listUploadSessions = {
  ...shared,
  id: 'listUploadSessions',
  method: 'GET',
  path: '/assets/upload-sessions/',
  summary: 'List upload sessions',
  description: 'Newest first: by the time of creation that is in its identifier.',
  scope: 'assets:read',
  params: noParams,
  query: Type.Object(
    {
      status: Type.Optional(
        Type.Enum([...sessionStatuses], {
          type: 'string',
          description: 'Only sessions with this status.',
        }),
      ),
      ...pageQuery,
    },
    closed,
  ),
  body: undefined,
  success: { status: 200, body: page(UploadSessionDetails) },
  errors: ['invalid_cursor'],
} as const satisfies Operation

export const readUploadSession = {
  ...shared,
  id: 'readUploadSession',
  method: 'GET',
  path: '/assets/upload-sessions/:session_uuid/',
  summary: 'Read an upload session',
  description: 'As it is now.',
  scope: 'assets:read',
  params: onSession,
  query: noQuery,
  body: undefined,
  success: { status: 200, body: UploadSessionDetails },
  errors: ['upload_session_not_found'],
} as const satisfies Operation

export const cancelUploadSession = {
  ...shared,
  id: 'cancelUploadSession',
  method: 'DELETE',
  path: '/assets/upload-sessions/:session_uuid/',
  summary: 'Cancel an upload session',
  description:
    'Nothing that is uploaded with it afterwards counts, and what has arrived is freed. The session and its asset stay readable, as Cancelled and Error. Cancelling one that is cancelled changes nothing.',
  scope: 'assets:write',
  params: onSession,
  query: noQuery,
  body: undefined,
  success: { status: 204, body: undefined },
  errors: ['upload_session_not_found', 'upload_session_closed'],
} as const satisfies Operation

export const renewUploadSession = {
  ...shared,
  id: 'renewUploadSession',
  method: 'POST',
  repeatable: true,
  path: '/assets/upload-sessions/:session_uuid/renew/',
  summary: 'Renew an upload session',
  description: 'Gives an open session a new expiry and a freshly signed form.',
  scope: 'assets:write',
  params: onSession,
  query: noQuery,
  body: undefined,
  success: { status: 200, body: NewUploadSession },
  errors: ['upload_session_not_found', 'upload_session_closed'],
} as const satisfies Operation

export const signUploadParts = {
  ...shared,
  id: 'signUploadParts',
  method: 'POST',
  repeatable: true,
  path: '/assets/upload-sessions/:session_uuid/parts/',
  summary: 'Sign parts of a file',
  description:
    'For files over 5 GiB and for bad lines: PUT each part to its address, in any order, several at a time, again if one failed. Then call `complete/`. A part that has arrived need not be sent again: the list of parts tells which have.',
  scope: 'assets:write',
  params: onSession,
  query: noQuery,
  body: bodyOf(
    {
      file_size_bytes: fileSize,
      numbers: Type.Array(Type.Integer({ minimum: 1, maximum: PARTS_MAX }), {
        minItems: 1,
        maxItems: PARTS_PER_REQUEST_MAX,
        uniqueItems: true,
        description: 'The parts to sign, counted from 1.',
      }),
    },
    { file_size_bytes: 20_000_000, numbers: [1, 2] },
  ),
  success: { status: 200, body: SignedParts },
  errors: [
    'upload_session_not_found',
    'upload_session_closed',
    'file_too_large',
    'file_size_changed',
    'part_out_of_range',
  ],
} as const satisfies Operation

export const listUploadParts = {
  ...shared,
  id: 'listUploadParts',
  method: 'GET',
  path: '/assets/upload-sessions/:session_uuid/parts/',
  summary: 'List the parts that have arrived',
  description:
    'By number; at most 10,000, all in one answer. What an interrupted upload needs to go on.',
  scope: 'assets:read',
  params: onSession,
  query: noQuery,
  body: undefined,
  success: { status: 200, body: ReceivedParts },
  errors: ['upload_session_not_found', 'upload_session_closed', 'upload_not_in_parts'],
} as const satisfies Operation

export const completeUploadSession = {
  ...shared,
  id: 'completeUploadSession',
  method: 'POST',
  repeatable: true,
  path: '/assets/upload-sessions/:session_uuid/complete/',
  summary: 'Say that the upload is complete',
  description:
    'After a form it is a hint: the end is noticed without it too, a little later. After parts it joins them; without it they are joined when the session has expired. Repeating it changes nothing. It answers the session and its asset as they are then.',
  scope: 'assets:write',
  params: onSession,
  query: noQuery,
  body: undefined,
  success: { status: 200, body: CompletedUploadSession },
  errors: ['upload_session_not_found', 'upload_session_closed', 'upload_not_arrived'],
} as const satisfies Operation

/** In the order of the reference. */
export const operations = [
  createUploadSession,
  listUploadSessions,
  readUploadSession,
  cancelUploadSession,
  renewUploadSession,
  signUploadParts,
  listUploadParts,
  completeUploadSession,
] as const
