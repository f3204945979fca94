/** Triggers every error code that the contract documents for an operation. */
import {
  type ErrorCode,
  errorCatalogue,
  errorCodes,
  errorCodesOf,
  type Problem,
  problemSchema,
} from '@reelkeep/contract'
import { type ApiResponse, Superuser, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { operationIds, operationOf } from './every-operation.ts'
import { accessTokenTriggers } from './triggers/access-token-triggers.ts'
import { assetTriggers } from './triggers/asset-triggers.ts'
import { eventTriggers, STREAMS_MAX } from './triggers/event-triggers.ts'
import { folderTriggers } from './triggers/folder-triggers.ts'
import {
  type GenericCode,
  genericCodesOf,
  genericTriggers,
  triggerUnknownParameter,
} from './triggers/generic-triggers.ts'
import { auditTriggers } from './triggers/library/audit-triggers.ts'
import { bulkOperationTriggers } from './triggers/library/bulk-operation-triggers.ts'
import { clipTriggers } from './triggers/library/clip-triggers.ts'
import { coverTriggers } from './triggers/library/cover-triggers.ts'
import { versionTriggers } from './triggers/library/version-triggers.ts'
import { chapterTriggers } from './triggers/media/chapter-triggers.ts'
import { subtitleTriggers } from './triggers/media/subtitle-triggers.ts'
import { uploadSessionTriggers } from './triggers/media/upload-session-triggers.ts'
import { organizationTriggers } from './triggers/organization-triggers.ts'
import { memberTriggers } from './triggers/people/member-triggers.ts'
import { tokenTriggers } from './triggers/token-triggers.ts'
import type { ErrorTriggers, Fixture } from './triggers/triggers.ts'
import { webhookTriggers } from './triggers/webhook-triggers.ts'

const errorTriggers: ErrorTriggers = {
  ...accessTokenTriggers,
  ...assetTriggers,
  ...auditTriggers,
  ...bulkOperationTriggers,
  ...chapterTriggers,
  ...clipTriggers,
  ...coverTriggers,
  ...subtitleTriggers,
  ...uploadSessionTriggers,
  ...versionTriggers,
  ...eventTriggers,
  ...folderTriggers,
  ...memberTriggers,
  ...organizationTriggers,
  ...tokenTriggers,
  ...webhookTriggers,
}

/** Codes that no operation causes by itself. The tests internal-error, outage, wire and protocol-error trigger them. */
const triggeredElsewhere: ErrorCode[] = [
  ...(['internal_error', 'unavailable', 'request_timeout', 'headers_too_large'] as const),
  // Errors of sign-in, whose routes are not operations of an organization: see server/src/modules/sign-in/.
  ...(['sign_in_failed', 'sign_in_method_disabled', 'session_not_found', 'account_exists'] as const),
  'recovery_link_not_found',
  ...(['invalid_password', 'invalid_code', 'not_a_local_account'] as const),
  ...(['invalid_passkey', 'passkey_not_found', 'last_sign_in_method'] as const),
]

const testApi = await opened(
  TestApi.open({
    TRUSTED_PROXY_HOPS: '1',
    EVENT_STREAMS_PER_ORGANIZATION_MAX: String(STREAMS_MAX),
  }),
)
const strictApi = await opened(TestApi.open({ RATE_LIMIT_PER_MINUTE: '1' }))
const superuser = await opened(Superuser.open())

const isProblem = new Ajv({ strict: false }).compile({
  ...problemSchema,
  additionalProperties: false,
})

const triggered = new Set<ErrorCode>()

function expectProblem({ status, headers, body }: ApiResponse<Problem>, code: ErrorCode) {
  expect({ code: body?.code, status }).toEqual({ code, status: errorCatalogue[code].status })
  expect(headers['content-type']).toBe('application/problem+json; charset=utf-8')
  expect(isProblem(body), JSON.stringify(isProblem.errors)).toBe(true)
  expect(body.status).toBe(status)
  expect(body.request_id).toBe(headers['x-request-id'])
  expect(body.detail).not.toBe('')
  if (status === 429) {
    expect(headers).toMatchObject({
      'retry-after': expect.stringMatching(/^[1-9]\d*$/),
      ratelimit: expect.any(String),
      'ratelimit-policy': expect.any(String),
    })
  }
  triggered.add(code)
}

describe.each(operationIds)('the operation %s', (id) => {
  const own = Object.entries(errorTriggers[id]) as [ErrorCode, (fixture: Fixture) => Promise<ApiResponse<Problem>>][]

  it.each(own)('returns its own error code %s', async (code, trigger) => {
    const caller = await testApi.newOrganization()
    expectProblem(await trigger({ caller, superuser }), code)
  })

  it.each(genericCodesOf(id))('returns the generic error code %s', async (code: GenericCode) => {
    const trigger = genericTriggers[code]
    expectProblem(await trigger({ testApi, strictApi, superuser }, id), code)
  })
})

describe.each(operationIds)('the operation %s', (id) => {
  it('rejects an unknown query parameter, names it, and returns a documented error code', async () => {
    const response = await triggerUnknownParameter({ testApi, strictApi, superuser }, id)
    expect(response.status).toBe(400)
    expect(response.body.detail).toContain('titel')
    expect(errorCodesOf(operationOf(id))).toContain(response.body.code)
  })
})

describe('a request that matches no operation', () => {
  it('returns playback_denied for a video without a token', async () => {
    const caller = await testApi.newOrganization()
    const path = `/play/open/${caller.organizationId}/019a0000-0000-7000-8000-000000000000/`
    expectProblem(await caller.get(`http://any.example${path}master.m3u8`), 'playback_denied')
  })

  it('returns not_found for an unknown path', async () => {
    const caller = await testApi.newOrganization()
    expectProblem(await caller.get('nowhere/'), 'not_found')
  })

  it('returns method_not_allowed and the allowed methods for an unsupported method', async () => {
    const caller = await testApi.newOrganization()
    const response = await caller.delete('tokens/')
    expectProblem(response, 'method_not_allowed')
    expect(response.headers['allow']?.split(', ').sort()).toEqual(['GET', 'HEAD', 'POST'])
  })
})

it('every error code of the catalog is triggered by a test', () => {
  const missing = errorCodes.filter((code) => !triggered.has(code) && !triggeredElsewhere.includes(code))
  expect(missing).toEqual([])
})
