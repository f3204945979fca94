import { Type } from 'typebox'
import {
  bodyOf,
  closed,
  descriptionField,
  externalIdField,
  metadataField,
  noParams,
  noQuery,
  nullable,
  openSet,
  tagsField,
  timestampField,
  titleField,
} from '../fields.ts'
import { Asset, AssetId, contentProtections, Failure, Resolution } from '../library/assets.ts'
import { FolderReference } from '../library/folders.ts'
import type { Operation } from '../operation.ts'
import { page, pageQuery } from '../page.ts'

export const SessionUuid = Type.String({
  format: 'uuid',
  description: 'Upload session identifier (UUID).',
  examples: ['019a83b5-6a41-7a08-8f0d-3c1f9f3a7b55'],
})

export const sessionStatuses = ['Created', 'Uploading', 'Completed', 'Expired', 'Cancelled', 'Failed'] as const
export type SessionStatus = (typeof sessionStatuses)[number]

/** S3 limits: the largest file in a single form upload, and the largest object. */
export const FORM_BYTES_MAX = 5 * 1024 ** 3
export const OBJECT_BYTES_MAX = 5 * 1024 ** 4

/** Limits of `expires_in_seconds`. The maximum is the longest lifetime that an operator can set. */
export const LIFETIME_SECONDS_MIN = 300
export const LIFETIME_SECONDS_MAX = 604_800

/** S3 limit on the number of parts per file. */
export const PARTS_MAX = 10_000
/** Maximum number of parts signed per request. */
export const PARTS_PER_REQUEST_MAX = 1000

/** The fields of an upload session in every response. */
const sessionFields = {
  uuid: SessionUuid,
  max_file_size_bytes: Type.Integer({
    description:
      'Maximum size of the file in bytes: `file_size_bytes` or `max_file_size_bytes` of the request, or the limit for forms.',
  }),
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
          'Present and true only if the file must be uploaded in parts: it is declared to be larger than 5 GiB, or the storage of this service does not support form uploads. Ignore `client_payload`.',
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
  ended_at: nullable(
    timestampField,
    'When the session was completed, expired, was cancelled or failed; null while it is open.',
  ),
  error: nullable(Failure, 'Reason of the failure; null otherwise.'),
}
export const UploadSessionDetails = Type.Object(detailFields, { title: 'UploadSessionDetails' })
export type UploadSessionDetails = Type.Static<typeof UploadSessionDetails>

/** A completed upload session includes its asset, which saves the client a request. */
export const CompletedUploadSession = Type.Object(
  { ...detailFields, asset: Asset },
  { title: 'CompletedUploadSession' },
)
export type CompletedUploadSession = Type.Static<typeof CompletedUploadSession>

/** Signed form: every field except `upload_link` is posted unchanged, followed by the file. */
export const ClientPayload = Type.Object(
  {
    upload_link: Type.String({
      description: 'Target URL of the form. Do not send it as a form field.',
    }),
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
  {
    asset: Asset,
    upload_session: UploadSession,
    client_payload: ClientPayload,
    upload_token: Type.Optional(
      Type.String({
        description:
          'Present only in the response to a creation with `upload_token: true`. A secret for a web page that is shown only once: with it in `Authorization`, the page can read, renew, complete and cancel this session and sign and list its parts, and nothing else.',
        examples: ['rlku_acme12_5xQk7tW2bY9cV4nL8pR1sD6fG3hJ0mZa1B2c3D'],
      }),
    ),
  },
  { title: 'NewUploadSession' },
)
export type NewUploadSession = Type.Static<typeof NewUploadSession>

const partPlan = {
  part_size_bytes: Type.Integer({
    description: 'Size of every part except the last, which contains the remainder.',
  }),
  part_count: Type.Integer({ description: 'Number of parts of the file.' }),
}

export const SignedParts = Type.Object(
  {
    ...partPlan,
    expires_at: timestampField,
    parts: Type.Array(
      Type.Object({
        number: Type.Integer(),
        bytes: Type.Integer({ description: 'Exact size of the part.' }),
        url: Type.String({ description: 'Presigned URL for the PUT request of this part.' }),
      }),
    ),
  },
  { title: 'SignedParts' },
)

export const ReceivedParts = Type.Object(
  {
    ...partPlan,
    file_size_bytes: Type.Integer(),
    received_bytes: Type.Integer({ description: 'Total size of the received parts.' }),
    parts: Type.Array(Type.Object({ number: Type.Integer(), bytes: Type.Integer(), etag: Type.String() }), {
      description: 'Received parts, ordered by number. Upload the missing ones.',
    }),
  },
  { title: 'ReceivedParts' },
)

const fileSize = Type.Integer({
  minimum: 1,
  maximum: OBJECT_BYTES_MAX,
  description: 'Size of the file in bytes.',
})

/** The holder of an upload token is a user of the client's page, not the client. */
const REDUCED_ASSET =
  'In the response to an upload token, `asset` has no description, tags, external ID, metadata and URLs.'

const onSession = Type.Object({ session_uuid: SessionUuid })
const shared = { tag: 'Upload sessions', idempotent: false } as const

/** Limits of the upload that the creator of a session can choose. */
export const sessionLimits = {
  file_size_bytes: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: OBJECT_BYTES_MAX,
      description:
        'Size of the file in bytes, if known: the session then accepts no larger file. Required for files over 5 GiB, which must be uploaded in parts.',
    }),
  ),
  max_file_size_bytes: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: OBJECT_BYTES_MAX,
      description:
        'Maximum size of the file in bytes, for uploads of your users. Default and maximum are the limits of the service.',
    }),
  ),
  expires_in_seconds: Type.Optional(
    Type.Integer({
      minimum: LIFETIME_SECONDS_MIN,
      maximum: LIFETIME_SECONDS_MAX,
      description:
        'Time until the session expires, after its creation and after each renewal. Default and maximum are the lifetime that the operator has set.',
    }),
  ),
  upload_token: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Return an `upload_token` with which a web page can upload the file without an API token. Requires `assets:read` in addition.',
    }),
  ),
}

export const createUploadSession = {
  ...shared,
  id: 'createUploadSession',
  method: 'POST',
  path: '/assets/upload-sessions/',
  summary: 'Create an upload session',
  description:
    'Creates an asset and a signed form for uploading its file directly to storage. Send a `multipart/form-data` POST to `upload_link` with all other fields of `client_payload`, followed by the video in a field named `file`.',
  scopes: ['uploads:write'],
  params: noParams,
  query: noQuery,
  body: bodyOf(
    {
      title: titleField,
      resolutions: Type.Optional(
        Type.Array(Resolution, {
          minItems: 1,
          maxItems: 6,
          uniqueItems: true,
          description:
            'Renditions to encode, named after the shorter side of the frame. Videos are never upscaled. Required unless the organization has `default_resolutions`.',
        }),
      ),
      content_protection_type: Type.Optional(
        Type.Enum([...contentProtections, 'disabled'], {
          type: 'string',
          description:
            "`disable`: no encryption. `aes`: encrypted segments, HLS only. `drm`: common encryption for HLS and DASH; the supported DRM systems depend on the key provider of the service. Defaults to the organization's setting, initially `disable`. `disabled` is an alias of `disable`.",
        }),
      ),
      folder: Type.Optional(nullable(FolderReference, 'Folder of the new asset; omit it or pass null for the root.')),
      generate_subtitle: Type.Optional(
        Type.Boolean({
          default: false,
          description: 'Generate subtitles by speech recognition while the video is processed.',
        }),
      ),
      ...sessionLimits,
      description: Type.Optional(descriptionField),
      tags: Type.Optional(tagsField),
      external_id: Type.Optional(nullable(externalIdField)),
      metadata: Type.Optional(metadataField),
    },
    { title: 'Lecture 1', resolutions: ['360p', '720p'] },
  ),
  hasDefaultResolutions: true,
  success: { status: 201, body: NewUploadSession },
  idempotent: true,
  secretResponse: true,
  errors: [
    'invalid_title',
    'target_folder_not_found',
    'external_id_taken',
    'file_too_large',
    'drm_not_configured',
    'quota_exceeded',
    'outside_folder',
  ],
} as const satisfies Operation

export const listUploadSessions = {
  ...shared,
  id: 'listUploadSessions',
  method: 'GET',
  path: '/assets/upload-sessions/',
  summary: 'List upload sessions',
  description: 'Returns the upload sessions of the organization, newest first.',
  scopes: ['assets:read'],
  params: noParams,
  query: Type.Object(
    {
      status: Type.Optional(
        Type.Enum([...sessionStatuses], {
          type: 'string',
          description: 'Return only sessions with this status.',
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
  summary: 'Retrieve an upload session',
  description: 'Returns the current state of the upload session.',
  scopes: ['assets:read'],
  acceptsUploadToken: true,
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
    'Cancels the session and removes uploaded data from storage; later uploads are ignored. The session and its asset get the status "Cancelled" and are deleted after some days (`abandoned_days` of the organization). Cancelling a cancelled session has no effect.',
  scopes: ['uploads:write'],
  acceptsUploadToken: true,
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
  description: `Extends the expiration time of an open session by its lifetime and returns a newly signed form. ${REDUCED_ASSET}`,
  scopes: ['uploads:write'],
  acceptsUploadToken: true,
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
  summary: 'Sign upload parts',
  description:
    'Returns presigned URLs for a multipart upload, which is required for files over 5 GiB and can be resumed on unreliable connections. Upload each part with PUT, in any order and in parallel, retry failed parts, then call `complete/`. To resume, list the received parts and upload only the missing ones.',
  scopes: ['uploads:write'],
  acceptsUploadToken: true,
  params: onSession,
  query: noQuery,
  body: bodyOf(
    {
      file_size_bytes: fileSize,
      numbers: Type.Array(Type.Integer({ minimum: 1, maximum: PARTS_MAX }), {
        minItems: 1,
        maxItems: PARTS_PER_REQUEST_MAX,
        uniqueItems: true,
        description: 'Numbers of the parts to sign, starting at 1.',
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
  summary: 'List received parts',
  description:
    'Returns the parts that storage has received, ordered by number, so that an interrupted upload can be resumed. The response has no `count`, `next` and `previous`, because a file has at most 10,000 parts and a client needs all of them.',
  scopes: ['assets:read'],
  acceptsUploadToken: true,
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
  summary: 'Complete an upload session',
  description:
    'Completes the upload. Optional after a form upload: the service also detects the file by itself, a little later. After a multipart upload, the call joins the parts; otherwise they are joined when the session expires. Repeating the call has no effect. Returns the session and its asset. ' +
    REDUCED_ASSET,
  scopes: ['uploads:write'],
  acceptsUploadToken: true,
  params: onSession,
  query: noQuery,
  body: undefined,
  success: { status: 200, body: CompletedUploadSession },
  errors: ['upload_session_not_found', 'upload_session_closed', 'upload_not_arrived'],
} as const satisfies Operation

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
