import { describe, expect, it } from 'vitest'
import { curlSample, sdkSample } from './api-samples.ts'

const service = { origin: 'https://video.example', organization: 'acme12' }

describe('samples of API calls', () => {
  it('quotes the body for the shell and names the method only if curl does not imply it', () => {
    const call = { request: 'POST /roles/', body: { name: "Kim's role" }, sdk: 'roles.create' } as const
    expect(curlSample(call, service)).toBe(
      [
        'curl --fail-with-body "https://video.example/api/v1/acme12/roles/"',
        '-H "Authorization: Bearer $REELKEEP_TOKEN"',
        "-H 'Content-Type: application/json'",
        String.raw`-d '{"name":"Kim'\''s role"}'`,
      ].join(' \\\n  '),
    )
    expect(curlSample({ request: 'GET /roles/', sdk: 'roles.list' }, service)).not.toContain('-X')
    expect(curlSample({ request: 'DELETE /roles/r1/', sdk: 'roles.delete' }, service)).toContain('-X DELETE')
  })

  it('iterates over lists and writes long arguments on several lines', () => {
    const list = sdkSample({ request: 'GET /roles/', sdk: 'roles.list' }, service)
    expect(list).toContain('for await (const item of client.roles.list()) console.log(item)')
    const scopes = ['assets:read', 'assets:write', 'folders:read', 'folders:write']
    const call = { request: 'PATCH /roles/r1/', sdk: 'roles.update', args: ['r1', { scopes }] } as const
    expect(sdkSample(call, service)).toContain("await client.roles.update('r1', {\n  scopes: [")
  })
})
