import { Type } from 'typebox'
import { closed, noParams, nullable } from '../fields.ts'
import type { Operation } from '../operation.ts'

/** 13 months and the current one: usage is kept for that long. */
export const USAGE_DAYS_MAX = 430

const dateFilter = (description: string) =>
  Type.Optional(Type.String({ format: 'date', maxLength: 10, description, examples: ['2026-11-01'] }))

const Quota = Type.Object(
  {
    limit: nullable(Type.Number(), 'Null for no limit.'),
    used: Type.Number(),
  },
  { title: 'Quota' },
)

export const UsagePeriod = Type.Object(
  {
    period: Type.String({ description: 'The day, or the month.', examples: ['2026-11-18', '2026-11'] }),
    stored_bytes: Type.Integer({
      description:
        'Size of the uploaded files and renditions at the end of the period, including the trash and all versions.',
    }),
    source_bytes: Type.Integer({ description: 'Size of the uploaded files.' }),
    rendition_bytes: Type.Integer({ description: 'Size of the renditions.' }),
    assets: Type.Integer({ description: 'Number of assets at the end of the period, without the trash.' }),
    encoded_minutes: Type.Number({ description: 'Minutes of video that were encoded, once for all renditions.' }),
    delivered_minutes: Type.Number({ description: 'Minutes of video that were sent to viewers.' }),
    delivered_bytes: Type.Integer({ description: 'Bytes that were sent to viewers.' }),
    api_requests: Type.Integer({ description: 'Authenticated requests to the API.' }),
  },
  { title: 'UsagePeriod' },
)
export type UsagePeriod = Type.Static<typeof UsagePeriod>

export const Usage = Type.Object(
  {
    from: Type.String({ description: 'First day.' }),
    to: Type.String({ description: 'Last day.' }),
    quotas: Type.Object(
      { stored_bytes: Quota, assets: Quota, encoded_minutes: Quota, open_sessions: Quota },
      {
        description:
          'Limits that the operator has set, and their current use. `stored_bytes` includes the files of open upload sessions; `encoded_minutes` is of the current month.',
      },
    ),
    results: Type.Array(UsagePeriod, { description: 'All periods in order, also those without use.' }),
  },
  { title: 'Usage' },
)
export type Usage = Type.Static<typeof Usage>

export const readUsage = {
  tag: 'Organization',
  idempotent: false,
  isOrganizationWide: true,
  id: 'readUsage',
  method: 'GET',
  path: '/usage/',
  summary: 'Retrieve the usage',
  description:
    'Returns what the organization has stored, encoded and delivered, by day or month in UTC, and its quotas. Storage is exact; deliveries and requests are counted within seconds and within 1 %. Usage is kept for 13 months. The response has no `count`, `next` and `previous`, because it has at most 430 periods.',
  scopes: ['organization:read'],
  params: noParams,
  query: Type.Object(
    {
      from: dateFilter('First day. Default: 29 days before `to`.'),
      to: dateFilter('Last day. Default and maximum: today.'),
      by: Type.Optional(
        Type.Enum(['day', 'month'], { type: 'string', default: 'day', description: 'Length of a period.' }),
      ),
    },
    closed,
  ),
  body: undefined,
  success: { status: 200, body: Usage },
  errors: [],
} as const satisfies Operation

export const operations = [readUsage] as const
