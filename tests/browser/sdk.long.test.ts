/** The published browser build of the SDK in a page of another origin than the service. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { root } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, expect, it } from 'vitest'
import { packSdk } from '../sdk/packed-sdk.ts'
import { expected, openRuntimeFixture } from '../sdk/runtime-fixture.ts'
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

const fixture = await opened(openRuntimeFixture('sdk_page', origin))
const browser = await opened(openChromium())

it('the SDK passes the shared runtime test in a browser page', async () => {
  const page = await browser.newPage()
  await page.goto(origin)
  const call = `import('/every-runtime.js').then(({ tryOut }) => tryOut(${JSON.stringify(await fixture.newTask())}))`
  expect(await page.evaluate(call)).toEqual(expected)
})
