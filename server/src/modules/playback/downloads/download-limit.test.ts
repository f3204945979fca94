import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { expect, it } from 'vitest'
import type { OrganizationId } from '../../../kernel/ids.ts'
import { DownloadLimit } from './download-limit.ts'

const responseOf = () => new EventEmitter() as unknown as ServerResponse
const [one, two] = ['acme1234', 'other123'] as [OrganizationId, OrganizationId]

it('DownloadLimit refuses downloads above the limits, and frees a slot when a response closes', () => {
  const limit = new DownloadLimit(3, 2)
  const responses = [responseOf(), responseOf()]
  for (const response of responses) limit.admit(one, response)
  expect(() => limit.admit(one, responseOf())).toThrow('Retry in 10 seconds')
  limit.admit(two, responseOf())
  expect(() => limit.admit(two, responseOf())).toThrow(
    expect.objectContaining({ code: 'unavailable', retryAfterSeconds: 10 }),
  )
  responses[0]?.emit('close')
  limit.admit(one, responseOf())
})
