/** An AI agent finds what is said in a video, and its link plays the video from that second. */
import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { search } from '@reelkeep/contract'
import { opened } from '@reelkeep/testkit/vitest'
import { expect, it, onTestFinished } from 'vitest'
import { filmCaptions, SCENE_SECONDS } from './film.ts'
import { openPlaybackFixture } from './playback-fixture.ts'
import { inPlayer, reallyPlays } from './watching.ts'

const fixture = await opened(openPlaybackFixture('playback_agent'))
const video = await fixture.newVideo('disable')

/** Connects with a token that may only read. */
async function connectViewer(): Promise<Client> {
  const input = { name: 'agent', scopes: ['assets:read'] }
  const { body } = await fixture.caller.post<{ token: string }>('tokens/', input)
  const client = new Client({ name: 'agent', version: '1' })
  const requestInit = { headers: { authorization: `Bearer ${body.token}`, 'user-agent': 'agent/1' } }
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', fixture.api.baseUrl), { requestInit }))
  onTestFinished(() => client.close())
  return client
}

type Answer = CallToolResult & { readonly structuredContent: object }

async function callTool(client: Client, name: string, given: Record<string, unknown>): Promise<Answer> {
  return (await client.callTool({ name, arguments: given })) as Answer
}

it.each(filmCaptions.map((caption, scene) => ({ caption, scene })))(
  'opens the video where "$caption" is said',
  async ({ caption, scene }) => {
    const client = await connectViewer()
    const { structuredContent } = await callTool(client, 'search_moments', { q: caption, in: 'transcript' })
    const { results } = structuredContent as { results: search.SearchResult[] }
    const moment = results[0]?.moments[0]
    expect(results[0]?.asset.id).toBe(video.assetId)
    expect(moment?.start_seconds).toBe(scene * SCENE_SECONDS)
    const page = await fixture.newPage()
    await page.goto(moment?.link ?? '')
    await page.locator('.frame[data-state=ready]').waitFor()
    const seconds = (await inPlayer(page, 'video.currentTime')) as number
    expect(Math.abs(seconds - scene * SCENE_SECONDS)).toBeLessThan(0.1)
    await page.context().close()
  },
)

it('the link of a moment plays the video from its second', async () => {
  const client = await connectViewer()
  const { structuredContent } = await callTool(client, 'search_moments', { q: 'moon above the ridge' })
  const page = await fixture.newPage()
  await page.goto((structuredContent as { results: search.SearchResult[] }).results[0]?.moments[0]?.link ?? '')
  await page.locator('.frame[data-state=ready]').waitFor()
  await page.keyboard.press('k')
  expect(await reallyPlays(page)).toMatchObject({ plays: true, errorCode: null })
})

it('is refused when it writes, and every call is in the audit log', async () => {
  const client = await connectViewer()
  await callTool(client, 'search_asset', { asset_id: video.assetId, q: 'river' })
  const refused = await callTool(client, 'delete_asset', { asset_id: video.assetId })
  expect(refused).toMatchObject({ isError: true, structuredContent: { code: 'insufficient_scope' } })
  const { body } = await fixture.caller.get<{ results: { action: string; outcome: string; user_agent: string }[] }>(
    'audit/?limit=2',
  )
  expect(body.results).toMatchObject([
    { action: 'deleteAsset', outcome: 'refused', user_agent: 'MCP agent/1' },
    { action: 'searchAsset', outcome: 'success', user_agent: 'MCP agent/1' },
  ])
})
