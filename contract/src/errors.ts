import { Type } from 'typebox'

export type ErrorEntry = {
  readonly status: 400 | 401 | 403 | 404 | 405 | 408 | 409 | 410 | 412 | 413 | 415 | 429 | 431 | 500 | 503
  /** Explanation and remedy, shown on the page that a problem's `type` links to. */
  readonly meaning: string
}

/** Every error code of the API with its status. A published code never changes its meaning or status. */
export const errorCatalogue = {
  invalid_request: {
    status: 400,
    meaning: 'The request is invalid. `errors` lists each invalid field and what is expected.',
  },
  malformed_json: {
    status: 400,
    meaning: 'The request body is not valid JSON. Check quotes, commas and the encoding (UTF-8).',
  },
  unknown_field: {
    status: 400,
    meaning:
      'The request has a field or query parameter that this operation does not support. Unknown names are rejected so that typos do not go unnoticed.',
  },
  invalid_title: {
    status: 400,
    meaning:
      'A title must have 1 to 255 characters after trimming and must not contain control characters or ' +
      'characters that change the direction of text.',
  },
  invalid_cursor: {
    status: 400,
    meaning: 'The `cursor` is invalid. Request the `next` and `previous` URLs unchanged.',
  },
  invalid_idempotency_key: {
    status: 400,
    meaning: 'An `Idempotency-Key` must have 1 to 255 printable ASCII characters.',
  },
  parent_not_found: { status: 400, meaning: 'The `parent` folder does not exist in this organization.' },
  target_folder_not_found: { status: 400, meaning: 'The target `folder` does not exist in this organization.' },
  file_too_large: {
    status: 400,
    meaning:
      'The file exceeds the limit of this session or of the service, which `detail` states. For a file over 5 GiB, pass `file_size_bytes` when you create the session.',
  },
  drm_not_configured: {
    status: 400,
    meaning:
      'DRM was requested, but this service has no key provider (DRM_PROVIDER=none). Ask the operator to configure one, or choose `aes` or `disable`.',
  },
  invalid_webhook_url: {
    status: 400,
    meaning:
      'The webhook URL is not allowed. Use an absolute `https` URL without credentials or fragment that points to the public internet or to a network the operator allows. `detail` explains the problem.',
  },
  invalid_replay: {
    status: 400,
    meaning:
      'The replay range is invalid. Pass `since` or `after`; the end of the range, if given, must come after its start.',
  },
  replay_too_large: {
    status: 400,
    meaning: 'The range contains more than 10,000 events. Split it into several replays with `after` and `before`.',
  },
  part_out_of_range: {
    status: 400,
    meaning: 'The part number is too high. Parts are numbered from 1 to `part_count`.',
  },
  video_duration_unknown: {
    status: 400,
    meaning:
      "The video's duration is not known yet, so chapter start times cannot be checked. It becomes known seconds after the upload; until then the asset's `video.duration` is null. `detail` states what is pending.",
  },
  chapter_outside_video: {
    status: 400,
    meaning: 'A chapter must start before the end of the video. `detail` states the latest possible start time.',
  },
  cover_outside_video: {
    status: 400,
    meaning: 'The frame for the cover is after the end of the video, which `detail` states. Choose an earlier one.',
  },
  range_outside_video: {
    status: 400,
    meaning:
      'The part of the video must start before it ends, be at least one frame long, and end with the video at the latest. `detail` states the duration of the video.',
  },
  chapter_start_taken: {
    status: 400,
    meaning:
      'Another chapter of this video starts at the same millisecond; `detail` names it. Choose a different start time.',
  },
  too_many_chapters: { status: 400, meaning: 'A video can have at most 500 chapters. Delete some or add fewer.' },
  invalid_chapter_text: {
    status: 400,
    meaning:
      'The text does not match its `format` or contains no chapters. `errors` lists each invalid line; nothing was imported.',
  },
  invalid_language: {
    status: 400,
    meaning:
      'The language must be a BCP 47 tag such as `de`, `pt-BR` or `zh-Hant`. Use `und` if the language is unknown.',
  },
  invalid_subtitle_text: {
    status: 400,
    meaning:
      'The text is not valid WebVTT or SRT, has no cues, or exceeds 2 MiB or 20,000 cues. `errors` lists each invalid line; nothing was added.',
  },
  too_many_subtitles: { status: 400, meaning: 'A video can have at most 50 subtitle tracks. Delete one first.' },
  folder_too_deep: {
    status: 400,
    meaning: 'Folders can be nested at most 32 levels deep. Choose a parent closer to the root.',
  },
  folder_into_itself: {
    status: 400,
    meaning: 'A folder cannot be moved into itself or into one of its own subfolders.',
  },
  invalid_expiry: {
    status: 400,
    meaning:
      '`expires_at` must be in the future and at most ten years from now, or null for a token that never expires.',
  },
  invalid_password: {
    status: 400,
    meaning: 'The new password is too short, too long or too easy to guess. `detail` states the rule.',
  },
  invalid_code: {
    status: 400,
    meaning: 'The one-time code is wrong. Use the newest code of the authenticator app.',
  },
  invalid_passkey: {
    status: 400,
    meaning: 'The passkey could not be verified or stored. Start again: a challenge is valid for ten minutes, once.',
  },
  unknown_role: {
    status: 400,
    meaning: 'The `role` does not exist in this organization. `roles/` lists all roles.',
  },
  unauthenticated: {
    status: 401,
    meaning:
      'The `Authorization: token <API_TOKEN>` header is missing, or its token is malformed, unknown, revoked or expired.',
  },
  sign_in_failed: {
    status: 401,
    meaning:
      'The sign-in failed. The reason is not reported: a wrong address, password or code, an unknown account, or too many failed attempts.',
  },
  insufficient_scope: {
    status: 403,
    meaning: 'The token or role does not have the scope named in `detail`. Use one that has it.',
  },
  outside_folder: {
    status: 403,
    meaning:
      'The token or member has access to one folder and what is below it, and the request concerns something outside: the root, another folder, the folder itself, or the whole organization.',
  },
  cross_site_request: {
    status: 403,
    meaning:
      'A request with a session cookie does not come from a page of this service. Use an API token for requests from other places.',
  },
  recent_sign_in_required: {
    status: 403,
    meaning: 'This operation needs a sign-in within the last ten minutes. Sign in again, then repeat the request.',
  },
  sign_in_method_disabled: {
    status: 403,
    meaning: 'The operator has disabled this sign-in method (setting SIGN_IN). Use another one.',
  },
  playback_denied: {
    status: 403,
    meaning:
      'The playback token in the URL is missing, malformed, expired, revoked, already used, or restricted to another video, site or network; `detail` states which. Get a new playback URL from the API. For a download, create a new link.',
  },
  not_found: { status: 404, meaning: 'This URL does not exist. Check the path against the reference.' },
  organization_not_found: {
    status: 404,
    meaning: 'The organization does not exist, or the token belongs to a different one. The API does not reveal which.',
  },
  asset_not_found: { status: 404, meaning: 'The asset does not exist in this organization.' },
  chapter_not_found: { status: 404, meaning: 'The chapter does not exist in this asset.' },
  subtitle_not_found: { status: 404, meaning: 'The subtitle track does not exist in this asset.' },
  access_token_not_found: {
    status: 404,
    meaning: 'The access token does not exist for this asset. Tokens are removed a week after they expire.',
  },
  signing_key_not_found: { status: 404, meaning: 'The signing key does not exist in this organization.' },
  upload_session_not_found: { status: 404, meaning: 'The upload session does not exist in this organization.' },
  webhook_not_found: { status: 404, meaning: 'The webhook does not exist in this organization.' },
  delivery_not_found: {
    status: 404,
    meaning:
      'There is no delivery of this event to this webhook: the webhook was not subscribed to it, or the event has been removed. To deliver an event that is still in the log, replay it by its number.',
  },
  bulk_operation_not_found: { status: 404, meaning: 'The bulk operation does not exist in this organization.' },
  folder_not_found: { status: 404, meaning: 'The folder does not exist in this organization.' },
  session_not_found: { status: 404, meaning: 'You have no session with this id, or it has ended.' },
  passkey_not_found: { status: 404, meaning: 'Your account has no passkey with this id.' },
  token_not_found: { status: 404, meaning: 'The token does not exist in this organization.' },
  member_not_found: {
    status: 404,
    meaning:
      'The member does not exist in this organization or has been removed. `members/current/` exists only for a signed-in member, not for an API token.',
  },
  invitation_not_found: {
    status: 404,
    meaning: 'The invitation does not exist in this organization, or has been used or revoked, or has expired.',
  },
  recovery_link_not_found: {
    status: 404,
    meaning: 'The recovery link does not exist, has been used or replaced, or has expired. Ask an owner for a new one.',
  },
  role_not_found: { status: 404, meaning: 'The role does not exist in this organization.' },
  version_not_found: {
    status: 404,
    meaning: 'The asset or the subtitle track has no version with this number, or it has been deleted.',
  },
  method_not_allowed: {
    status: 405,
    meaning: 'This URL does not support the request method. The `Allow` header lists the supported methods.',
  },
  request_timeout: { status: 408, meaning: 'The request was not received within 30 seconds. Retry it.' },
  account_exists: {
    status: 409,
    meaning: 'The email address has an account already. Sign in with it, then open the link again.',
  },
  not_a_local_account: {
    status: 409,
    meaning: 'You signed in at an identity provider. Change your password and passkeys there.',
  },
  last_sign_in_method: {
    status: 409,
    meaning: 'The passkey is the only sign-in method of the account. Add another one or set a password first.',
  },
  external_id_taken: {
    status: 409,
    meaning:
      'Another asset or folder of the organization has this `external_id`; `detail` names it. Choose a different one, or remove it there first.',
  },
  protection_fixed: {
    status: 409,
    meaning:
      'The content protection cannot be changed after the file was uploaded, because the renditions are encrypted with it. Upload the file in a new session.',
  },
  content_protected: {
    status: 409,
    meaning:
      'The asset is protected with `aes` or `drm`, so its renditions cannot be downloaded as MP4. A token with the scope `source:read` can download the source.',
  },
  cover_not_available: {
    status: 409,
    meaning:
      'The video is still being processed, or has no such thumbnail, so the cover cannot be set. `detail` explains which.',
  },
  rendition_not_available: {
    status: 409,
    meaning:
      'The rendition does not exist or is not complete; `detail` lists the complete ones. Choose one of them, or wait for the event `rendition.completed`.',
  },
  source_not_available: {
    status: 409,
    meaning:
      'The asset has no uploaded file: its upload is not complete, or it is a clip or a rendered part of another asset.',
  },
  legal_hold: {
    status: 409,
    meaning:
      'The asset or folder, or a folder above it, is under legal hold, so it can be neither deleted nor moved out of the hold. `detail` names the resource with the hold. A token with the scope `holds:write` can lift the hold.',
  },
  asset_not_replaceable: {
    status: 409,
    meaning:
      'A new version replaces the file of an asset, but this asset has none, because it is a clip or was never uploaded, or the file is still being processed. `detail` states which.',
  },
  search_mode_not_available: {
    status: 409,
    meaning:
      'The service has no embeddings server, so a search compares words only. Use `mode=lexical`, or omit `mode`.',
  },
  clip_not_available: {
    status: 409,
    meaning:
      'Clips and trims need a completely processed video. Retry when its status is "Completed"; process the video again if processing failed.',
  },
  render_not_available: {
    status: 409,
    meaning:
      'No independent asset can be made of this video, because it is protected by DRM, or is itself a rendered part. `detail` states which. A clip is possible.',
  },
  too_many_versions: {
    status: 409,
    meaning: 'Too many versions of the asset are being uploaded or processed. Cancel one of them, or wait.',
  },
  version_not_playable: {
    status: 409,
    meaning: 'The version cannot be activated because it is not complete. `detail` states its status.',
  },
  folder_not_empty: {
    status: 409,
    meaning:
      'The folder is not empty. Empty it first, or check its deletion preview and delete it with `recursive=true`.',
  },
  folder_too_large: {
    status: 409,
    meaning:
      'The folder contains more folders or assets than one request may change. Process its subfolders or some of its assets first.',
  },
  upload_session_closed: {
    status: 409,
    meaning:
      'The upload session is no longer open. `detail` states whether it was completed, expired, was cancelled or failed.',
  },
  upload_not_arrived: {
    status: 409,
    meaning: 'The file has not arrived in storage yet. Upload it, or upload the missing parts, then retry.',
  },
  upload_not_in_parts: { status: 409, meaning: 'The session has no multipart upload yet. Sign parts first.' },
  file_size_changed: {
    status: 409,
    meaning:
      'The parts of this session were signed for a different file size. Continue with the original file, or create a new session.',
  },
  nothing_to_cancel: {
    status: 409,
    meaning: 'The asset is neither queued nor being processed. To cancel an upload, cancel its upload session.',
  },
  nothing_to_retry: {
    status: 409,
    meaning:
      'Only an asset that failed or was cancelled can be retried, and only while its source file exists, unless it is the rendering of a part. `detail` explains the problem.',
  },
  token_limit_reached: {
    status: 409,
    meaning: 'The organization has reached its maximum number of tokens. Revoke an unused one.',
  },
  token_not_live: { status: 409, meaning: 'The token is revoked or expired and cannot be rotated. Create a new one.' },
  last_owner: {
    status: 409,
    meaning:
      'The change would leave the organization without an owner whose access is not limited to a folder and does not expire. Make another member an owner first.',
  },
  already_member: {
    status: 409,
    meaning: 'The person is already a member of the organization. Change the role of the member instead.',
  },
  member_limit_reached: {
    status: 409,
    meaning: 'An organization can have at most 10,000 members. Remove one first.',
  },
  invitation_limit_reached: {
    status: 409,
    meaning: 'An organization can have at most 1,000 open invitations. Revoke one, or wait until one has expired.',
  },
  recovery_not_available: {
    status: 409,
    meaning:
      'A recovery link is only for members who sign in with a password or passkey of this service and belong to no other organization; `detail` states the reason. Ask the operator or the identity provider.',
  },
  role_is_built_in: {
    status: 409,
    meaning: 'A built-in role can be neither changed nor deleted. Create a custom role instead.',
  },
  role_in_use: {
    status: 409,
    meaning:
      'Members or open invitations have this role. Give them another role, or revoke the invitations, before you delete it.',
  },
  role_limit_reached: {
    status: 409,
    meaning: 'An organization can have at most 100 custom roles. Delete an unused one.',
  },
  access_token_limit_reached: {
    status: 409,
    meaning:
      'An asset can have at most 10,000 unexpired access tokens. Use shorter lifetimes, or sign playback tokens yourself with a signing key; those do not count.',
  },
  quota_exceeded: {
    status: 403,
    meaning:
      'The organization has used up a quota that the operator has set: assets, stored bytes, encoded minutes of this month, or open upload sessions. Delete assets (stored bytes: permanently, because the trash counts), cancel open sessions or wait for the next month, or ask the operator for a higher quota.',
  },
  signing_key_limit_reached: {
    status: 409,
    meaning: 'An organization can have at most 10 signing keys. Delete an unused one.',
  },
  webhook_limit_reached: {
    status: 409,
    meaning: 'An organization can have at most 100 webhooks. Delete an unused one.',
  },
  bulk_operation_limit_reached: {
    status: 409,
    meaning: 'An organization can have at most 20 unfinished bulk operations. Wait until one has ended, or cancel one.',
  },
  webhook_disabled: { status: 409, meaning: 'The webhook is disabled. Enable it first.' },
  idempotency_key_reused: {
    status: 409,
    meaning:
      'This `Idempotency-Key` was already used with a different request, or with a different token for a response that contains a secret; `detail` states which. Use a new key, or the same token.',
  },
  idempotency_key_in_use: {
    status: 409,
    meaning: 'The first request with this `Idempotency-Key` is still running. Retry after the time in `Retry-After`.',
  },
  events_expired: {
    status: 410,
    meaning:
      'The event log cannot be continued from `after`: the following events have been removed, or the event with the number `after` was lost because the database was restored or failed over. Reload the resources you track and continue from the number in `detail`.',
  },
  changed_meanwhile: {
    status: 412,
    meaning:
      'The resource has changed since you read it: its `ETag` is no longer in `If-Match`. Nothing was changed. Read the resource again, and repeat the change with its new `ETag`.',
  },
  body_too_large: {
    status: 413,
    meaning: 'The request body is too large. The limit is 1 MiB, or 6 MiB when adding or replacing a subtitle track.',
  },
  unsupported_media_type: {
    status: 415,
    meaning:
      'The request body must be JSON in UTF-8, sent with `Content-Type: application/json` and without `Content-Encoding`.',
  },
  too_many_streams: {
    status: 429,
    meaning:
      'The organization has reached its maximum number of open event streams. Close one, or share one stream between consumers. Streams that are not read are closed automatically.',
  },
  rate_limited: {
    status: 429,
    meaning:
      'Too many requests: of the organization, of the token, or without a valid token from this IP address. `RateLimit` names the limit. Retry after the time in `Retry-After`.',
  },
  headers_too_large: { status: 431, meaning: 'The request headers exceed 16 KiB.' },
  internal_error: {
    status: 500,
    meaning: 'An unexpected error occurred in the service. Report the `request_id` to the operator.',
  },
  unavailable: {
    status: 503,
    meaning:
      'The service is temporarily unavailable because one of its dependencies is. Retry after the time in `Retry-After`.',
  },
} as const satisfies Record<string, ErrorEntry>

export type ErrorCode = keyof typeof errorCatalogue

export const errorCodes = Object.keys(errorCatalogue) as ErrorCode[]

/** Problem details (RFC 9457), extended by `code`, `errors` and `request_id`. */
export const problemSchema = Type.Object(
  {
    type: Type.String({ description: 'URL of a page that explains the error code.' }),
    title: Type.String({ description: 'Name of the HTTP status.' }),
    status: Type.Integer(),
    detail: Type.String({ description: 'Explanation of the error and how to fix it.' }),
    code: Type.String({ description: 'Stable error code; see the list of error codes.' }),
    errors: Type.Array(
      Type.Object({
        field: Type.String({
          description: 'Path of the invalid field, for example `chapters[1].title`.',
        }),
        code: Type.String(),
        detail: Type.String(),
      }),
      { description: 'All errors found in the request, up to 50.' },
    ),
    quota: Type.Optional(
      Type.Object(
        { name: Type.String(), limit: Type.Number(), used: Type.Number() },
        { description: 'Only with `quota_exceeded`: the quota, its limit and its use.' },
      ),
    ),
    request_id: Type.String(),
  },
  { title: 'Problem' },
)

export type Problem = Type.Static<typeof problemSchema>
