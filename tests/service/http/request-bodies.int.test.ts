/** How every operation of the contract validates its request body. */
import type { Problem } from '@reelkeep/contract'
import { TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it } from 'vitest'
import { operationIds, operationOf, send, validRequest } from '../errors/every-operation.ts'

const testApi = await opened(TestApi.open())

const withBody = operationIds.filter((id) => operationOf(id).method !== 'GET')
const withoutSchema = withBody.filter((id) => !operationOf(id).body)

describe.each(withBody)('the operation %s', (id) => {
  it('rejects an unknown field of the body by its name', async () => {
    const caller = await testApi.newOrganization()
    const request = await validRequest(caller, id)
    const response = await send<Problem>(caller, { ...request, body: { ...(request.body as object), expires_im: 5 } })
    expect([response.status, response.body.code]).toEqual([400, 'unknown_field'])
    expect(response.body.errors.map(({ field }) => field)).toEqual(['expires_im'])
  })
})

describe.each(withoutSchema)('the operation %s, which has no body,', (id) => {
  it.each([
    ['an empty object', {}],
    ['an empty body with a content type', ''],
  ])('accepts %s', async (_, body) => {
    const caller = await testApi.newOrganization()
    const request = await validRequest(caller, id)
    const response = await send(caller, { ...request, body }, { 'content-type': 'application/json' })
    expect(response.status).toBe(operationOf(id).success.status)
  })

  it('rejects a body that is not an object', async () => {
    const caller = await testApi.newOrganization()
    const request = await validRequest(caller, id)
    const response = await send<Problem>(caller, { ...request, body: [1] })
    expect([response.status, response.body.detail]).toEqual([400, 'The request body must be a JSON object.'])
  })
})
