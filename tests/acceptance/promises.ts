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

type Capability = 'assets' | 'chapters' | 'upload-sessions'

export const promises: readonly Promised[] = [
  { id: '1.1', text: 'The service is a video hosting and streaming service', later: 'assets' },
  { id: '1.2', text: 'organized per organization.' },
  { id: '1.3', text: 'Through an HTTP JSON interface it lets an authenticated caller:' },
  {
    id: '1.4',
    text: 'create an upload session for a new video asset, then upload the video file directly to storage with the credentials returned by that session;',
    later: 'upload-sessions',
  },
  {
    id: '1.5',
    text: 'add, list and delete chapters (titled time markers) on an existing video asset;',
    later: 'chapters',
  },
  { id: '1.6', text: 'create folders, optionally nested,' },
  { id: '1.7', text: "and list an organization's folders with an optional text search." },
  { id: '1.8', text: 'All paths are under {base_url}/api/v1/<organization_id>/.' },

  {
    id: '2.1',
    text: 'id | integer | no (assigned by the service) | returned in responses',
    later: 'chapters',
  },
  { id: '2.2', text: 'title | string | yes | title of the chapter', later: 'chapters' },
  {
    id: '2.3',
    text: 'start_time | string | yes | format HH:MM:SS; must lie within the video duration',
    later: 'chapters',
  },
  { id: '2.4', text: 'id | string (UUID) | asset identifier', later: 'assets' },
  { id: '2.5', text: 'title | string | the title given at session creation', later: 'assets' },
  {
    id: '2.6',
    text: 'bytes | integer or null | null right after session creation',
    later: 'assets',
  },
  { id: '2.7', text: 'type | string | "video" for video assets', later: 'assets' },
  {
    id: '2.8',
    text: 'parent_id | string | identifier of the containing folder when a folder was given',
    later: 'assets',
  },
  { id: '2.9', text: 'video | object | contains status (string)', later: 'assets' },
  { id: '2.10', text: 'Other asset fields: not shown.', later: 'assets' },
  { id: '2.11', text: 'uuid | string (UUID) | session identifier', later: 'upload-sessions' },
  {
    id: '2.12',
    text: 'max_file_size_bytes | integer | largest file size accepted for this session, in bytes',
    later: 'upload-sessions',
  },
  {
    id: '2.13',
    text: 'expires_at | string | ISO 8601 UTC timestamp with microseconds and trailing Z; time the session expires',
    later: 'upload-sessions',
  },
  { id: '2.14', text: 'status | string | session status', later: 'upload-sessions' },
  { id: '2.15', text: 'Credentials for the direct upload.', later: 'upload-sessions' },
  { id: '2.16', text: 'All fields are strings.', later: 'upload-sessions' },
  {
    id: '2.17',
    text: 'upload_link | the storage address {upload_url} to which the file is posted; it is the target of the request, not a form field',
    later: 'upload-sessions',
  },
  { id: '2.18', text: 'key | storage object key for the upload', later: 'upload-sessions' },
  {
    id: '2.19',
    text: 'x-storage-algorithm | signing algorithm identifier (the returned name carries the storage vendor\'s prefix in place of "storage")',
    later: 'upload-sessions',
  },
  {
    id: '2.20',
    text: 'x-storage-credential | credential scope string (same naming note)',
    later: 'upload-sessions',
  },
  {
    id: '2.21',
    text: 'x-storage-date | signing date-time, compact ISO 8601 basic format (same naming note)',
    later: 'upload-sessions',
  },
  { id: '2.22', text: 'policy | encoded upload policy', later: 'upload-sessions' },
  {
    id: '2.23',
    text: 'x-storage-signature | signature of the policy (same naming note)',
    later: 'upload-sessions',
  },
  {
    id: '2.24',
    text: 'The field names other than upload_link, key and policy are to be copied exactly as the service returns them, with the storage vendor\'s prefix; in this document the vendor word is replaced by "storage".',
    later: 'upload-sessions',
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
    restLater: 'chapters',
  },
  { id: '2.29', text: 'next (string URL or null),', restLater: 'chapters' },
  { id: '2.30', text: 'previous (string URL or null),', restLater: 'chapters' },
  { id: '2.31', text: 'results (array of items).', restLater: 'chapters' },

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
    restLater: 'chapters',
  },
  {
    id: '5.2',
    text: 'When the header is missing or invalid, chapter endpoints answer 401 Unauthorized.',
    later: 'chapters',
  },
  {
    id: '5.3',
    text: 'The storage upload (4.5) is authorized by the signed fields of the client payload, not by this header.',
    later: 'upload-sessions',
  },
  { id: '5.4', text: 'How an API token is obtained or scoped: not shown.' },

  { id: '7.1', text: 'Status codes stated for the chapter endpoints:', later: 'chapters' },
  { id: '7.2', text: '200 OK | chapters retrieved', later: 'chapters' },
  { id: '7.3', text: '201 Created | chapters created', later: 'chapters' },
  { id: '7.4', text: '204 No the service | chapter deleted', later: 'chapters' },
  {
    id: '7.5',
    text: '400 Bad Request | invalid data or timestamp format',
    later: 'chapters',
  },
  {
    id: '7.6',
    text: '401 Unauthorized | authentication missing or invalid',
    later: 'chapters',
  },
  { id: '7.7', text: '404 Not Found | asset or chapter does not exist', later: 'chapters' },
  {
    id: '7.8',
    text: '500 Internal Server Error | unexpected server failure',
    later: 'chapters',
  },
  { id: '7.9', text: 'Shape of error response bodies: not shown.' },
  {
    id: '7.10',
    text: 'Status codes for the upload-session and folder endpoints: not shown.',
    restLater: 'upload-sessions',
  },

  {
    id: '9.1',
    text: 'The interface version is carried in the path as the segment v1, after /api/.',
  },
  { id: '9.2', text: 'Version policy and change rules: not shown.' },
]
