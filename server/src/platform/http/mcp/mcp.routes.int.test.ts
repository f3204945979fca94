/** The MCP server, as the client of the protocol's SDK uses it. */
import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { operations } from '@reelkeep/contract'
import { type Caller, probedAsset, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tools } from './mcp-tools.ts'

const testApi = await opened(TestApi.open())

const url = new URL('http://service.test/mcp')

/** Sends requests of the client straight into the server. */
const sendToApi = async (address: string | URL, init: RequestInit = {}): Promise<Response> => {
  const { status, headers, text } = await testApi.send({
    method: (init.method ?? 'GET') as 'GET',
    path: new URL(address).pathname,
    headers: Object.fromEntries(new Headers(init.headers)),
    body: init.body === undefined ? undefined : String(init.body),
  })
  const isEmpty = status === 202 || status === 204
  return new Response(isEmpty ? null : text, { status, headers })
}

/** The current revision of the protocol, and the earlier one. */
const modes = [{ pin: '2026-07-28' }, 'legacy'] as const

async function connect({ token }: Pick<Caller, 'token'>, mode: (typeof modes)[number] = modes[0]): Promise<Client> {
  const client = new Client({ name: 'agent', version: '1' }, { versionNegotiation: { mode } })
  const requestInit = { headers: { authorization: `Bearer ${token}`, 'user-agent': 'agent/1' } }
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit, fetch: sendToApi }))
  onTestFinished(() => client.close())
  return client
}

const callTool = async (client: Client, name: string, given: Record<string, unknown> = {}) =>
  (await client.callTool({ name, arguments: given })) as CallToolResult & { structuredContent: Record<string, never> }

type Entry = { action: string; outcome: string; error_code: string | null; user_agent: string | null; object: object }

async function auditOf(caller: Caller): Promise<Entry[]> {
  const { body } = await caller.get<{ results: Entry[] }>('audit/?limit=100')
  return body.results
}

describe.each(modes)('an agent with revision %j', (mode) => {
  it('creates a folder, lists it, and gets the errors of the API', async () => {
    const caller = await testApi.newOrganization()
    const client = await connect(caller, mode)
    const created = await callTool(client, 'create_folder', { title: 'Lectures' })
    expect(created).toMatchObject({ isError: false, structuredContent: { title: 'Lectures' } })
    expect(await callTool(client, 'list_folders', { limit: 10, q: 'lect' })).toMatchObject({
      structuredContent: { count: 1, results: [{ title: 'Lectures' }] },
    })
    expect(await callTool(client, 'create_folder', { title: '' })).toMatchObject({
      isError: true,
      structuredContent: { code: 'invalid_title' },
    })
    expect(await callTool(client, 'read_asset')).toMatchObject({ structuredContent: { code: 'asset_not_found' } })
    await expect(callTool(client, 'delete_organization')).rejects.toThrow('There is no tool')
  })
})

it('a tool calls only its operation, whatever its arguments are', async () => {
  const caller = await testApi.newOrganization()
  const { asset } = await probedAsset(caller)
  const client = await connect(caller)
  for (const chapter_id of ['..', '.', '', '%2e%2e', '../..']) {
    const given = { asset_id: asset.id, chapter_id, permanently: true }
    expect(await callTool(client, 'delete_chapter', given)).toMatchObject({ isError: true })
  }
  expect((await caller.get(`assets/${asset.id}/`)).status).toBe(200)
})

describe('tools', () => {
  it('have every parameter of their operation under a name of its own', () => {
    for (const { operation, definition } of tools.values()) {
      const parts = [operation.params, operation.query, operation.body ?? {}]
      const names = parts.flatMap(({ properties = {} }) => Object.keys(properties))
      expect(new Set(names).size, definition.name).toBe(names.length)
      expect(Object.keys(definition.inputSchema.properties ?? {}), definition.name).toEqual(
        expect.arrayContaining(names),
      )
    }
  })

  it('do not return streams or secrets of the organization', () => {
    const offered = new Set([...tools.values()].map(({ operation }) => operation.id))
    const excluded = operations.filter(
      (operation) => 'isStream' in operation.success || 'isOrganizationWide' in operation,
    )
    expect(excluded.length).toBeGreaterThan(5)
    expect(excluded.filter(({ id }) => offered.has(id)).map(({ id }) => id)).toEqual([])
  })

  it('are marked as reading or destructive', async () => {
    const client = await connect(await testApi.newOrganization())
    const { tools: listed } = await client.listTools()
    const hints = Object.fromEntries(listed.map(({ name, annotations }) => [name, annotations]))
    expect(listed).toHaveLength(tools.size)
    expect(hints['list_assets']).toMatchObject({ readOnlyHint: true, destructiveHint: false, idempotentHint: true })
    expect(hints['add_chapters']).toMatchObject({ readOnlyHint: false, destructiveHint: false, idempotentHint: false })
    expect(hints['delete_asset']).toMatchObject({ readOnlyHint: false, destructiveHint: true, idempotentHint: true })
  })
})

describe('the rights of an agent', () => {
  it('are those of its token: a viewer sees no tool that writes, and a call of one is refused and recorded', async () => {
    const owner = await testApi.newOrganization()
    const { body } = await owner.post<{ token: string }>('tokens/', { name: 'viewer', scopes: ['folders:read'] })
    const client = await connect(owner.withToken(body.token))
    const { tools: listed } = await client.listTools()
    expect(listed.map(({ name }) => name)).toEqual(['list_folders', 'read_folder', 'read_current_token'])
    expect(await callTool(client, 'create_folder', { title: 'Mine' })).toMatchObject({
      isError: true,
      structuredContent: { code: 'insufficient_scope' },
    })
    expect((await owner.get<{ count: number }>('assets/folders/')).body.count).toBe(0)
    expect(await auditOf(owner)).toContainEqual(
      expect.objectContaining({ action: 'createFolder', outcome: 'refused', error_code: 'insufficient_scope' }),
    )
  })

  it('end with the token', async () => {
    const owner = await testApi.newOrganization()
    const { body } = await owner.post<{ id: string; token: string }>('tokens/', { name: 'agent', scopes: ['*'] })
    const client = await connect(owner.withToken(body.token))
    await owner.delete(`tokens/${body.id}/`)
    await expect(callTool(client, 'list_folders')).rejects.toThrow()
  })

  it('do not include those of a session, whose cookie a browser sends by itself', async () => {
    const headers = { cookie: '__Host-reelkeep_session=anything', 'content-type': 'application/json' }
    const response = await testApi.send({ method: 'POST', path: '/mcp', headers, body: '{}' })
    expect(response.status).toBe(401)
  })
})

it('records every call in the audit log, reads too', async () => {
  const caller = await testApi.newOrganization()
  const client = await connect(caller)
  const { structuredContent: folder } = await callTool(client, 'create_folder', { title: 'Lectures' })
  await callTool(client, 'read_folder', { folder_uuid: folder['uuid'] })
  await callTool(client, 'list_assets')
  const entries = (await auditOf(caller)).filter(({ user_agent }) => user_agent === 'MCP agent/1')
  const object = { type: 'folder', id: folder['uuid'] }
  expect(entries.map(({ action, object }) => ({ action, object })).reverse()).toEqual([
    { action: 'createFolder', object },
    { action: 'readFolder', object },
    { action: 'listAssets', object: { type: 'organization', id: caller.organizationId } },
  ])
})

it('replaces only what has not changed, with if_match', async () => {
  const caller = await testApi.newOrganization()
  const { asset } = await probedAsset(caller)
  const client = await connect(caller)
  const { content } = await callTool(client, 'list_chapters', { asset_id: asset.id })
  const note = content.findLast((part) => part.type === 'text')?.text ?? ''
  const replace = (if_match: string | undefined) =>
    callTool(client, 'replace_chapters', { asset_id: asset.id, chapters: [], if_match })
  expect(await replace('"other"')).toMatchObject({ structuredContent: { code: 'changed_meanwhile' } })
  expect(await replace(/^Version for if_match: (.*)$/.exec(note)?.[1])).toMatchObject({ isError: false })
})

it('names where tokens are accepted, to clients without one', async () => {
  const { status, headers } = await sendToApi(url, { method: 'POST', body: '{}' })
  expect(status).toBe(401)
  const address = /resource_metadata="([^"]*)"/.exec(headers.get('www-authenticate') ?? '')?.[1] ?? ''
  const metadata = await sendToApi(address)
  expect(await metadata.json()).toMatchObject({
    resource: expect.stringMatching(/\/mcp$/),
    bearer_methods_supported: ['header'],
  })
})
