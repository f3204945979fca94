import { Type } from 'typebox'

export type ErrorEntry = {
  readonly status: 400 | 401 | 403 | 404 | 405 | 408 | 409 | 410 | 413 | 415 | 429 | 431 | 500 | 503
  /** What happened and what to do next, for the page that a problem's `type` points to. */
  readonly meaning: string
}

/**
 * Every error code the API can answer, with its status. A code, once published, never changes its
 * meaning or its status.
 */
export const errorCatalogue = {
  invalid_request: {
    status: 400,
    meaning:
      'The request does not have the documented form. `errors` names each field and what it must be.',
  },
  malformed_json: {
    status: 400,
    meaning: 'The body is not JSON. Check quotes, commas and the encoding (UTF-8).',
  },
  unknown_field: {
    status: 400,
    meaning:
      'The body has a field this operation does not know. It is refused rather than ignored, because a misspelt field would otherwise be lost silently.',
  },
  invalid_title: {
    status: 400,
    meaning: 'A title has 1 to 255 characters after trimming and no control characters.',
  },
  invalid_cursor: {
    status: 400,
    meaning:
      'The `cursor` was not made by this API. Follow the `next` and `previous` addresses as they are.',
  },
  invalid_idempotency_key: {
    status: 400,
    meaning: 'An `Idempotency-Key` has 1 to 255 printable ASCII characters.',
  },
  parent_not_found: {
    status: 400,
    meaning: 'The folder named as `parent` does not exist in this organization.',
  },
  target_folder_not_found: {
    status: 400,
    meaning: 'The folder named as `folder` does not exist in this organization.',
  },
  file_too_large: {
    status: 400,
    meaning:
      'The file is larger than this session or this service takes. `detail` tells the limit; a session for a file over 5 GiB is created with `file_size_bytes`.',
  },
  drm_not_configured: {
    status: 400,
    meaning:
      'The video is to be protected by DRM, and this service has no key provider (DRM_PROVIDER=none). Whoever runs it sets one up; else choose `aes` or `disable`.',
  },
  invalid_webhook_url: {
    status: 400,
    meaning:
      'Events cannot be posted to this address. It must be an absolute `https` address without user name and fragment that leads to the public internet, or into a network that the operator allows. `detail` tells what is wrong.',
  },
  invalid_replay: {
    status: 400,
    meaning:
      'It does not say which events are to be told again: give `since` or `after`, and an end that lies behind it if any.',
  },
  replay_too_large: {
    status: 400,
    meaning:
      'More than 10,000 events lie in this stretch. Replay it in several, by `after` and `before`.',
  },
  part_out_of_range: {
    status: 400,
    meaning: 'The file has fewer parts. `part_count` tells how many there are; they count from 1.',
  },
  video_duration_unknown: {
    status: 400,
    meaning:
      'A chapter must start within the video, and how long that is will be known when its file has been looked into, seconds after the upload. `detail` tells what is awaited; `video.duration` of the asset is null until then.',
  },
  chapter_outside_video: {
    status: 400,
    meaning:
      'A chapter starts at or after 00:00:00 and before the end of the video. `detail` tells the latest start there can be.',
  },
  chapter_start_taken: {
    status: 400,
    meaning:
      'Two chapters of a video cannot start at the same second. `detail` tells which one starts there.',
  },
  too_many_chapters: {
    status: 400,
    meaning: 'A video has at most 500 chapters. Delete some, or add fewer.',
  },
  invalid_chapter_text: {
    status: 400,
    meaning:
      'The text is not what its `format` says, or holds no chapter. `errors` names each line that cannot be read and why; nothing was imported.',
  },
  invalid_language: {
    status: 400,
    meaning:
      'A language is named by BCP 47: `de`, `pt-BR`, `zh-Hant`; `und` if nobody knows which it is.',
  },
  invalid_subtitle_text: {
    status: 400,
    meaning:
      'The text is neither WebVTT nor SRT, holds no cue, or more than 2 MiB or 20,000 cues. `errors` names each line that cannot be read and why; nothing was added.',
  },
  too_many_subtitles: {
    status: 400,
    meaning: 'A video has at most 50 subtitle tracks. Delete some first.',
  },
  folder_too_deep: {
    status: 400,
    meaning: 'Folders nest at most 32 deep. Choose a parent nearer to the root.',
  },
  folder_into_itself: {
    status: 400,
    meaning: 'A folder cannot be moved into itself or into one of its own subfolders.',
  },
  invalid_expiry: {
    status: 400,
    meaning: 'A token expires in the future, at most ten years from now, or never (null).',
  },
  unauthenticated: {
    status: 401,
    meaning:
      'The `Authorization: token <API_TOKEN>` header is missing, or its token is malformed, unknown, revoked or expired.',
  },
  insufficient_scope: {
    status: 403,
    meaning: 'The token is valid but lacks the scope that `detail` names. Use or create another.',
  },
  playback_denied: {
    status: 403,
    meaning:
      'A video is watched with a playback token, which is a part of the address. This one is missing, malformed, expired, revoked, used up, or for another video, page or network; `detail` tells which. Take a fresh address from the API.',
  },
  not_found: {
    status: 404,
    meaning: 'There is nothing at this address. Check the path against the reference.',
  },
  organization_not_found: {
    status: 404,
    meaning:
      'No such organization, or the token belongs to another one. Both look the same on purpose.',
  },
  asset_not_found: { status: 404, meaning: 'No such asset in this organization.' },
  chapter_not_found: { status: 404, meaning: 'This video has no such chapter.' },
  subtitle_not_found: { status: 404, meaning: 'This video has no such subtitle track.' },
  access_token_not_found: {
    status: 404,
    meaning: 'This asset has no such access token. Those that expired a week ago are forgotten.',
  },
  signing_key_not_found: { status: 404, meaning: 'No such signing key in this organization.' },
  upload_session_not_found: {
    status: 404,
    meaning: 'No such upload session in this organization.',
  },
  webhook_not_found: { status: 404, meaning: 'No such webhook in this organization.' },
  delivery_not_found: {
    status: 404,
    meaning:
      'This event was never to be told to this webhook, or is no longer kept. A replay of its numbers has it told.',
  },
  folder_not_found: { status: 404, meaning: 'No such folder in this organization.' },
  token_not_found: { status: 404, meaning: 'No such token in this organization.' },
  method_not_allowed: {
    status: 405,
    meaning: 'The address exists but not for this method. The `Allow` header lists those it takes.',
  },
  request_timeout: {
    status: 408,
    meaning: 'The request took longer than 30 seconds to arrive. Send it again.',
  },
  folder_not_empty: {
    status: 409,
    meaning:
      'The folder holds other folders or assets. Empty it, or delete it with `recursive=true` after a look at its deletion preview.',
  },
  folder_too_large: {
    status: 409,
    meaning:
      'More folders or assets lie in this folder than one request may change. Work on its subfolders, or on some of its assets, first.',
  },
  upload_session_closed: {
    status: 409,
    meaning:
      'The session is completed, expired, cancelled or failed, so this cannot be done with it any more. `detail` tells which.',
  },
  upload_not_arrived: {
    status: 409,
    meaning:
      'Storage does not have the file yet. Post the form, or send the parts that are missing, then ask again.',
  },
  upload_not_in_parts: {
    status: 409,
    meaning: 'No part of this session has been signed yet, so there is no list of parts.',
  },
  file_size_changed: {
    status: 409,
    meaning:
      'The parts of this session were signed for a file of another size. Go on with that file, or create another session.',
  },
  nothing_to_cancel: {
    status: 409,
    meaning:
      'The asset is neither waiting to be processed nor being processed, so there is nothing to cancel. An upload is cancelled with its session.',
  },
  nothing_to_retry: {
    status: 409,
    meaning:
      'Only an asset whose processing failed or was cancelled can be retried, and only while its file is there. `detail` tells what is in the way.',
  },
  token_limit_reached: {
    status: 409,
    meaning: 'The organization has as many tokens as it may. Revoke one that is no longer used.',
  },
  token_not_live: {
    status: 409,
    meaning: 'A token that is revoked or has expired cannot be rotated. Create a new one.',
  },
  access_token_limit_reached: {
    status: 409,
    meaning:
      'An asset has at most 10,000 access tokens that have not expired. Give them a shorter life, or sign them yourself with a signing key: those are not kept, and not counted.',
  },
  revocation_limit_reached: {
    status: 409,
    meaning:
      'An organization has at most 10,000 revoked access tokens that have not expired. Wait for some to expire; shorter lives need fewer revocations.',
  },
  signing_key_limit_reached: {
    status: 409,
    meaning: 'An organization has at most 10 signing keys. Delete one that is no longer used.',
  },
  webhook_limit_reached: {
    status: 409,
    meaning: 'An organization has at most 100 webhooks. Delete one that is no longer used.',
  },
  webhook_disabled: {
    status: 409,
    meaning: 'Nothing is sent to a webhook that is disabled. Enable it first.',
  },
  idempotency_key_reused: {
    status: 409,
    meaning: 'This `Idempotency-Key` was used with another request. Use a fresh key.',
  },
  idempotency_key_in_use: {
    status: 409,
    meaning:
      'The first request with this `Idempotency-Key` is still running. Repeat after `Retry-After`.',
  },
  events_expired: {
    status: 410,
    meaning:
      'Events behind `after` are no longer kept, so going on from there would pass over some; or `after` lies beyond the end of the log, which was restored from a backup. Read what you need to know anew, and go on from the number that `detail` names.',
  },
  body_too_large: {
    status: 413,
    meaning:
      'The body is larger than this API reads: 1 MiB, or 6 MiB where a subtitle track is added.',
  },
  unsupported_media_type: {
    status: 415,
    meaning: 'Send the body as JSON, with `Content-Type: application/json`.',
  },
  too_many_streams: {
    status: 429,
    meaning:
      'Your organization has as many event streams open here as it may. End one, or share one among those who listen; streams that nobody reads end by themselves.',
  },
  rate_limited: {
    status: 429,
    meaning: 'Too many requests. Wait as long as `Retry-After` says, then go on.',
  },
  headers_too_large: {
    status: 431,
    meaning: 'The headers are larger than this API reads (16 KiB).',
  },
  internal_error: {
    status: 500,
    meaning: 'A fault of ours. It is logged under the `request_id`; quote that to the operator.',
  },
  unavailable: {
    status: 503,
    meaning: 'A part the service depends on is away. Repeat after `Retry-After`.',
  },
} as const satisfies Record<string, ErrorEntry>

export type ErrorCode = keyof typeof errorCatalogue

export const errorCodes = Object.keys(errorCatalogue) as ErrorCode[]

/** RFC 9457, with `code`, `errors` and `request_id` beside its own members. */
export const problemSchema = Type.Object(
  {
    type: Type.String({ description: 'Address of a page that explains the code.' }),
    title: Type.String({ description: 'The name of the HTTP status.' }),
    status: Type.Integer(),
    detail: Type.String({ description: 'What went wrong here and what to do next.' }),
    code: Type.String({ description: 'Stable name of the fault; see the list of error codes.' }),
    errors: Type.Array(
      Type.Object({
        field: Type.String({ description: 'Where in the request, such as `chapters[1].title`.' }),
        code: Type.String(),
        detail: Type.String(),
      }),
      { description: 'Every fault of the request, not only the first.' },
    ),
    request_id: Type.String(),
  },
  { title: 'Problem' },
)

export type Problem = Type.Static<typeof problemSchema>
