/**
 * What the specification promises, sentence by sentence, in its own words and its own order.
 *
 * An id is the section and a number. A sentence that promises several things is split where they
 * part. Where the specification says "not shown", the tests hold what the contract decided there.
 * `coverage.ts` sees to it that nothing of these sections is left out.
 */
export type Promised = {
  readonly id: string
  /** As it stands in docs/specification.md. */
  readonly text: string
  /** What must be built before this can be tested. */
  readonly later?: Capability
  /** Tested for what is there; what must be built for the rest of it. */
  readonly restLater?: Capability
}

type Capability = 'assets' | 'media'

export const promises: readonly Promised[] = [
  { id: '1.1', text: 'The service is a video hosting and streaming service', later: 'media' },
  { id: '1.2', text: 'organized per organization.' },
  { id: '1.3', text: 'Through an HTTP JSON interface it lets an authenticated caller:' },
  {
    id: '1.4',
    text: 'create an upload session for a new video asset, then upload the video file directly to storage with the credentials returned by that session;',
  },
  {
    id: '1.5',
    text: 'add, list and delete chapters (titled time markers) on an existing video asset;',
  },
  { id: '1.6', text: 'create folders, optionally nested,' },
  { id: '1.7', text: "and list an organization's folders with an optional text search." },
  { id: '1.8', text: 'All paths are under {base_url}/api/v1/<organization_id>/.' },

  {
    id: '2.1',
    text: 'id | integer | no (assigned by the service) | returned in responses',
  },
  { id: '2.2', text: 'title | string | yes | title of the chapter' },
  {
    id: '2.3',
    text: 'start_time | string | yes | format HH:MM:SS; must lie within the video duration',
  },
  { id: '2.4', text: 'id | string (UUID) | asset identifier' },
  { id: '2.5', text: 'title | string | the title given at session creation' },
  {
    id: '2.6',
    text: 'bytes | integer or null | null right after session creation',
  },
  { id: '2.7', text: 'type | string | "video" for video assets' },
  {
    id: '2.8',
    text: 'parent_id | string | identifier of the containing folder when a folder was given',
  },
  { id: '2.9', text: 'video | object | contains status (string)' },
  { id: '2.10', text: 'Other asset fields: not shown.' },
  { id: '2.11', text: 'uuid | string (UUID) | session identifier' },
  {
    id: '2.12',
    text: 'max_file_size_bytes | integer | largest file size accepted for this session, in bytes',
  },
  {
    id: '2.13',
    text: 'expires_at | string | ISO 8601 UTC timestamp with microseconds and trailing Z; time the session expires',
  },
  { id: '2.14', text: 'status | string | session status' },
  { id: '2.15', text: 'Credentials for the direct upload.' },
  { id: '2.16', text: 'All fields are strings.' },
  {
    id: '2.17',
    text: 'upload_link | the storage address {upload_url} to which the file is posted; it is the target of the request, not a form field',
  },
  { id: '2.18', text: 'key | storage object key for the upload' },
  {
    id: '2.19',
    text: 'x-storage-algorithm | signing algorithm identifier (the returned name carries the storage vendor\'s prefix in place of "storage")',
  },
  {
    id: '2.20',
    text: 'x-storage-credential | credential scope string (same naming note)',
  },
  {
    id: '2.21',
    text: 'x-storage-date | signing date-time, compact ISO 8601 basic format (same naming note)',
  },
  { id: '2.22', text: 'policy | encoded upload policy' },
  {
    id: '2.23',
    text: 'x-storage-signature | signature of the policy (same naming note)',
  },
  {
    id: '2.24',
    text: 'The field names other than upload_link, key and policy are to be copied exactly as the service returns them, with the storage vendor\'s prefix; in this document the vendor word is replaced by "storage".',
  },
  { id: '2.25', text: 'title | string | name of the folder' },
  { id: '2.26', text: 'uuid | string | folder identifier, an opaque short string' },
  {
    id: '2.27',
    text: 'parent | string | request-only field: identifier of the parent folder',
  },
  {
    id: '2.28',
    text: 'List responses (chapters, folders) are objects with: count (integer, total items),',
  },
  { id: '2.29', text: 'next (string URL or null),' },
  { id: '2.30', text: 'previous (string URL or null),' },
  { id: '2.31', text: 'results (array of items).' },

  { id: '3.1', text: 'State-carrying fields: upload_session.status | "Created" (on creation)' },
  { id: '3.2', text: 'asset.video.status | "Not Started" (on creation)' },
  {
    id: '3.3',
    text: 'Transitions: not shown; further state values are also not shown.',
    restLater: 'media',
  },

  { id: '4.1.1', text: 'POST {base_url}/api/v1/<organization_id>/assets/<asset_id>/chapters/' },
  {
    id: '4.1.2',
    text: 'Request body: object with chapters (required): array of objects, each with title (string, required) and start_time (string HH:MM:SS, required).',
  },
  {
    id: '4.1.3',
    text: 'Success: 201 Created, body is the paginated envelope whose results are chapter objects (id, title, start_time) for the created chapters.',
  },
  { id: '4.1.4', text: 'Failure: 400 for invalid data or timestamp format;' },
  { id: '4.1.5', text: '404 when the asset does not exist.' },

  { id: '4.2.1', text: 'GET {base_url}/api/v1/<organization_id>/assets/<asset_id>/chapters/' },
  { id: '4.2.2', text: 'No body.' },
  {
    id: '4.2.3',
    text: 'Success: 200 OK, paginated envelope of chapter objects (id, title, start_time).',
  },
  { id: '4.2.4', text: 'Failure: 404 when the asset does not exist.' },
  { id: '4.2.5', text: 'Paging request parameters: not shown.' },

  {
    id: '4.3.1',
    text: 'DELETE {base_url}/api/v1/<organization_id>/assets/<asset_id>/chapters/<chapter_id>/',
  },
  { id: '4.3.2', text: 'No body.' },
  { id: '4.3.3', text: 'Success: 204 No the service, empty body.' },
  { id: '4.3.4', text: 'Failure: 404 when the asset or chapter does not exist.' },

  { id: '4.4.1', text: 'POST {base_url}/api/v1/<organization_id>/assets/upload-sessions/' },
  { id: '4.4.2', text: 'Request body fields:' },
  {
    id: '4.4.3',
    text: 'title | string | yes | text identifier usable for filtering or searching the asset',
  },
  {
    id: '4.4.4',
    text: 'resolutions | array of string | yes | renditions to produce for HLS or MPEG-DASH delivery; each element one of 240p, 360p, 480p, 540p, 720p, 1080p; renditions keep the input aspect ratio',
    restLater: 'media',
  },
  {
    id: '4.4.5',
    text: 'content_protection_type | string | no | one of drm, aes, disable (disable means no protection)',
    restLater: 'media',
  },
  {
    id: '4.4.6',
    text: 'folder | string | no | identifier of the folder to place the video in',
  },
  {
    id: '4.4.7',
    text: 'generate_subtitle | boolean | no | generate subtitles automatically after upload; defaults to false',
    restLater: 'media',
  },
  { id: '4.4.8', text: 'Default of content_protection_type: not shown.' },
  {
    id: '4.4.9',
    text: 'Success response body: object with asset (section 2), upload_session (section 2) and client_payload (section 2).',
  },
  {
    id: '4.4.10',
    text: 'The status code of success is not stated beyond a valid request returning this body.',
  },

  {
    id: '4.5.1',
    text: "POST {upload_url} (the upload_link value of the client payload). This request goes to the storage address, not to the service, and does not use the service's authentication header.",
  },
  { id: '4.5.2', text: 'the service type: multipart/form-data.' },
  {
    id: '4.5.3',
    text: 'Form fields: every client_payload field except upload_link, under the same names and with the returned values (key, the three x-storage-* credential fields, policy, x-storage-signature), and a field named file holding the video file.',
  },
  {
    id: '4.5.4',
    text: 'Ordering rule: the file field must be the last field of the multipart body.',
  },
  { id: '4.5.5', text: 'Response of the storage upload: not shown.' },

  { id: '4.6.1', text: 'POST {base_url}/api/v1/<organization_id>/assets/folders/' },
  { id: '4.6.2', text: 'Request body: title (string, required);' },
  { id: '4.6.3', text: 'parent (string, optional, identifier of the parent folder;' },
  { id: '4.6.4', text: 'when given the new folder is its child).' },
  {
    id: '4.6.5',
    text: "Success body: object with title (string) and uuid (string, the new folder's identifier).",
  },

  { id: '4.7.1', text: 'GET {base_url}/api/v1/<organization_id>/assets/folders/' },
  {
    id: '4.7.2',
    text: 'Optional query parameter q (string): returns only folders matching the search text.',
  },
  {
    id: '4.7.3',
    text: 'Success body: paginated envelope whose results are objects with title and uuid.',
  },

  {
    id: '5.1',
    text: 'Every service request (4.1 to 4.4, 4.6, 4.7) carries the header Authorization with the value: the word token, a space, then <API_TOKEN>.',
  },
  {
    id: '5.2',
    text: 'When the header is missing or invalid, chapter endpoints answer 401 Unauthorized.',
  },
  {
    id: '5.3',
    text: 'The storage upload (4.5) is authorized by the signed fields of the client payload, not by this header.',
  },
  { id: '5.4', text: 'How an API token is obtained or scoped: not shown.' },

  { id: '7.1', text: 'Status codes stated for the chapter endpoints:' },
  { id: '7.2', text: '200 OK | chapters retrieved' },
  { id: '7.3', text: '201 Created | chapters created' },
  { id: '7.4', text: '204 No the service | chapter deleted' },
  {
    id: '7.5',
    text: '400 Bad Request | invalid data or timestamp format',
  },
  {
    id: '7.6',
    text: '401 Unauthorized | authentication missing or invalid',
  },
  { id: '7.7', text: '404 Not Found | asset or chapter does not exist' },
  {
    id: '7.8',
    text: '500 Internal Server Error | unexpected server failure',
  },
  { id: '7.9', text: 'Shape of error response bodies: not shown.' },
  {
    id: '7.10',
    text: 'Status codes for the upload-session and folder endpoints: not shown.',
  },

  {
    id: '8.1',
    text: 'Each upload session carries max_file_size_bytes, the largest accepted file in bytes,',
  },
  {
    id: '8.2',
    text: 'and expires_at, after which the session is no longer valid for upload.',
  },
  {
    id: '8.3',
    text: "A chapter start_time must lie within the video's duration.",
  },
  {
    id: '8.4',
    text: 'Rate limits, limits on the number of chapters, page sizes and title lengths: not shown.',
  },

  {
    id: '9.1',
    text: 'The interface version is carried in the path as the segment v1, after /api/.',
  },
  { id: '9.2', text: 'Version policy and change rules: not shown.' },
]
