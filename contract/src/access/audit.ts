import { Type } from 'typebox'
import { closed, noParams, noQuery, nullable, openSet, timeFilter, timestampField } from '../fields.ts'
import type { Operation } from '../operation.ts'
import { pageQuery } from '../page.ts'

/** Maximum number of entries per export. */
export const EXPORT_ENTRIES_MAX = 1_000_000

const actorKinds = ['token', 'member', 'system', 'person'] as const
const outcomes = ['success', 'refused'] as const

const hashField = (description: string) =>
  Type.String({ description, examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'] })

export const AuditEntry = Type.Object(
  {
    number: Type.Integer({ minimum: 1, description: 'Position in the log, without gaps.' }),
    organization_id: Type.String(),
    created_at: timestampField,
    actor: Type.Object(
      {
        kind: openSet(actorKinds, {
          description:
            '`token`, `member`, `system` (an operator or a job) or `person` (a person who is not a member of the organization).',
        }),
        id: nullable(Type.String({ format: 'uuid' }), 'Id of the token, member or person; null for the system.'),
        name: nullable(Type.String(), 'Name at the time of the entry.'),
      },
      { description: 'The token, member, job or person that made the request.' },
    ),
    action: Type.String({
      description:
        'What was done: the id of the operation, as in this reference, or another name such as `signIn` or `admin.create-token`.',
      examples: ['createFolder'],
    }),
    object: Type.Object(
      {
        type: nullable(Type.String({ examples: ['folder'] })),
        id: nullable(Type.String()),
      },
      { description: 'The resource that was created, changed, deleted or read; otherwise the organization.' },
    ),
    outcome: openSet(outcomes, { description: '`success`, or `refused` with an `error_code`.' }),
    error_code: nullable(Type.String(), 'Error code of the response; null if it succeeded.'),
    address: nullable(Type.String(), 'IP address of the client.'),
    user_agent: nullable(Type.String(), 'Header `User-Agent` of the client, at most 200 characters.'),
    request_id: nullable(Type.String(), 'Id of the request, as in the header `X-Request-Id` of the response.'),
    count: Type.Integer({
      minimum: 1,
      description:
        'Number of requests that the entry counts. Above 60 refusals of one client per minute, one entry with the action `furtherRefusals` counts the others.',
    }),
    previous_hash: hashField('The `hash` of the entry before it; zeros for the first.'),
    hash: hashField('SHA-256 of the entry without this field, as JSON in the form of RFC 8785.'),
  },
  { title: 'AuditEntry' },
)
export type AuditEntry = Type.Static<typeof AuditEntry>

const timeRange = {
  created_after: timeFilter('Return only entries created at or after this time.'),
  created_before: timeFilter('Return only entries created before this time.'),
}

const shared = {
  tag: 'Audit log',
  idempotent: false,
  isOrganizationWide: true,
  scopes: ['audit:read'],
  params: noParams,
} as const

export const listAuditEntries = {
  ...shared,
  id: 'listAuditEntries',
  method: 'GET',
  path: '/audit/',
  summary: 'List audit entries',
  description:
    'Returns who changed what, who was refused and who read secrets, newest first. Every change is recorded together with its entry: both take effect or neither does. Entries cannot be changed or deleted through the API; the operator sets how long they are kept, 400 days by default. The response has no `count`, because counting millions of entries would take too long.',
  query: Type.Object(
    {
      actor: Type.Optional(Type.String({ format: 'uuid', description: 'Return only entries of this actor.' })),
      action: Type.Optional(
        Type.String({ pattern: '^[A-Za-z][A-Za-z.-]{0,99}$', description: 'Return only entries with this action.' }),
      ),
      object: Type.Optional(
        Type.String({
          pattern: '^[\\w.:-]{1,255}$',
          description: 'Return only entries about the object with this id.',
        }),
      ),
      outcome: Type.Optional(Type.Enum([...outcomes], { type: 'string' })),
      ...timeRange,
      ...pageQuery,
    },
    closed,
  ),
  body: undefined,
  success: {
    status: 200,
    body: Type.Object(
      {
        next: nullable(Type.String(), 'URL of the next page; null on the last page.'),
        previous: nullable(Type.String(), 'URL of the previous page; null on the first page.'),
        results: Type.Array(AuditEntry),
      },
      { title: 'AuditEntries' },
    ),
  },
  errors: ['invalid_cursor'],
} as const satisfies Operation

export const exportAuditEntries = {
  ...shared,
  id: 'exportAuditEntries',
  method: 'GET',
  path: '/audit/export/',
  summary: 'Export audit entries',
  description: `Returns the entries as lines of JSON, in the order of their numbers and without gaps, so that their hashes can be verified. With a range of time, the first and last entry are those at its ends. At most ${EXPORT_ENTRIES_MAX} entries; continue with \`after\`. The export is an entry itself.`,
  recordsRead: true,
  query: Type.Object(
    {
      ...timeRange,
      after: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: Number.MAX_SAFE_INTEGER,
          default: 0,
          description: 'Return only entries with a higher number.',
        }),
      ),
    },
    closed,
  ),
  body: undefined,
  success: {
    status: 200,
    mediaTypes: ['application/x-ndjson'],
    isStream: true,
    body: Type.String({
      description: 'One entry per line, as in the list.',
      examples: ['{"number":1,"action":"createFolder",…}\n'],
    }),
  },
  errors: [],
} as const satisfies Operation

export const AuditHead = Type.Object(
  {
    number: Type.Integer({ minimum: 0, description: 'Number of the last entry; 0 if there is none.' }),
    hash: hashField('Hash of the last entry.'),
  },
  { title: 'AuditHead' },
)
export type AuditHead = Type.Static<typeof AuditHead>

export const readAuditHead = {
  ...shared,
  id: 'readAuditHead',
  method: 'GET',
  path: '/audit/head/',
  summary: 'Retrieve the end of the audit log',
  description:
    'Returns the number and hash of the last entry. Keep them outside of the service: an export that contains an entry with this number and hash has all entries before it, unchanged. They are also published once a day as the event `audit.head_published`.',
  query: noQuery,
  body: undefined,
  success: { status: 200, body: AuditHead },
  errors: [],
} as const satisfies Operation

export const operations = [listAuditEntries, exportAuditEntries, readAuditHead] as const
