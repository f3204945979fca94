/** An AI agent that starts `reelkeep mcp`. */
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it, onTestFinished } from 'vitest'
import { CliFixture, entry } from './cli-fixture.ts'

const fixture = await opened(CliFixture.open())

async function start(mode: 'auto' | 'legacy', token = fixture.caller.token): Promise<Client> {
  const client = new Client({ name: 'agent', version: '1' }, { versionNegotiation: { mode } })
  const env = {
    REELKEEP_URL: fixture.api.baseUrl,
    REELKEEP_ORGANIZATION: fixture.caller.organizationId,
    REELKEEP_TOKEN: token,
  }
  onTestFinished(() => client.close())
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [entry, 'mcp'], env }))
  return client
}

it.each([
  ['auto', '2026-07-28'],
  ['legacy', '2025-11-25'],
] as const)('calls tools with the token of the login, and with revision %s (%s)', async (mode, revision) => {
  const client = await start(mode)
  expect(client.getNegotiatedProtocolVersion()).toBe(revision)
  const title = `From an agent, ${mode}`
  await client.callTool({ name: 'create_folder', arguments: { title } })
  const { body } = await fixture.caller.get<{ results: { title: string }[] }>('assets/folders/?limit=100')
  expect(body.results.map((folder) => folder.title)).toContain(title)
})

it('reports that the token is not valid', async () => {
  await expect(start('legacy', 'rlk_unknown')).rejects.toThrow('The token is missing, malformed, unknown')
})
