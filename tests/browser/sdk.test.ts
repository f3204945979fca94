/** The SDK in a page, from another origin than the service: the file that browsers get, as it is published. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { root } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, expect, it } from 'vitest'
import { packSdk } from '../sdk/packed-sdk.ts'
import { expected, openRuntimeStage } from '../sdk/runtime-stage.ts'
import { openChromium } from './chromium.ts'

const sdk = await opened(packSdk())
const script = (path: string) => ({ type: 'text/javascript', text: readFileSync(path, 'utf8') })
const files: Record<string, { readonly type: string; readonly text: string }> = {
  '/': {
    type: 'text/html',
    text: '<script type="importmap">{ "imports": { "reelkeep": "/reelkeep.js" } }</script>',
  },
  '/reelkeep.js': script(sdk.webFile),
  '/every-runtime.js': script(join(root, 'tests/sdk/every-runtime.js')),
}

const server = createServer(({ url = '' }, response) => {
  const file = files[url]
  response.writeHead(file ? 200 : 404, { 'content-type': file?.type ?? 'text/plain' })
  response.end(file?.text)
}).listen(0, '127.0.0.1')
await once(server, 'listening')
afterAll(() => server.close())
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const stage = await opened(openRuntimeStage('sdk_page', origin))
const browser = await opened(openChromium())

it('runs in a page what runs everywhere', async () => {
  const page = await browser.newPage()
  await page.goto(origin)
  const call = `import('/every-runtime.js').then(({ tryOut }) => tryOut(${JSON.stringify(await stage.newTask())}))`
  expect(await page.evaluate(call)).toEqual(expected)
})
