/**
 * A video address in a real browser, by the players that people use. The page has an origin of its
 * own, as theirs have.
 */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { extname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { openChromium } from './chromium.ts'
import { newPatience } from './patience.ts'

export type Engine = 'hls.js' | 'shaka' | 'dash.js'

export type Screening = {
  readonly engine: Engine
  readonly url: string
  /** How much faster than life. */
  readonly rate?: number
  /** Where shaka-player gets ClearKey licences. */
  readonly licenceUrl?: string
}

/** What can be said of a video that plays. */
type Watched = {
  readonly currentSeconds: number
  /** Where it began. Null before it has. */
  readonly firstSeconds: number | null
  /** Null of one that has no end yet. */
  readonly durationSeconds: number | null
  readonly hasEnded: boolean
  /** Decoded so far. */
  readonly frames: number
  readonly audioBytes: number
  /** Of the pictures to choose from, smallest first. */
  readonly heights: readonly number[]
  /** Of the first subtitles, if there are any: they are turned on. */
  readonly cues: number
  readonly errors: readonly string[]
}

const LOOK_MILLISECONDS = 100

const require = createRequire(import.meta.url)
const own = (name: string) => new URL(`player/${name}`, import.meta.url)

/** By their paths; nothing else is served. */
const files = new Map<string, string | URL>([
  ['/', own('player.html')],
  ['/player.js', own('player.js')],
  ['/hls.js', require.resolve('hls.js/dist/hls.min.js')],
  ['/shaka.js', require.resolve('shaka-player/dist/shaka-player.compiled-es2021.js')],
  ['/dash.js', require.resolve('dashjs')],
])

export async function openPlayers() {
  await using opening = new AsyncDisposableStack()
  const server = await servePage()
  opening.defer(async () => {
    server.closeAllConnections()
    await server[Symbol.asyncDispose]()
  })
  const { port } = server.address() as AddressInfo
  const browser = opening.use(await openChromium())
  const open = opening.move()
  return {
    /** Begins to play; what becomes of it is seen by watching. */
    async play({ engine, url, rate = 1, licenceUrl }: Screening): Promise<Viewer> {
      const page = await browser.newPage()
      await page.goto(`http://127.0.0.1:${port}/`)
      await page.evaluate(`start(${JSON.stringify({ engine, url, rate, licenceUrl })})`)
      return viewerOf(page)
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

export type Viewer = ReturnType<typeof viewerOf>

function viewerOf(page: Page) {
  const watched = async () => (await page.evaluate('watched()')) as Watched
  return {
    watched,
    /** As it is on the screen: of what is encrypted a script of the page sees nothing but black. */
    picture: () => page.locator('video').screenshot(),
    /**
     * Watches until it is so, or an error comes, or nothing has moved for long; answers what was
     * seen last.
     */
    async watchUntil(isSo: (watched: Watched) => boolean): Promise<Watched> {
      const isWorthwhile = newPatience()
      for (;;) {
        const seen = await watched()
        const { currentSeconds: seconds, frames, errors } = seen
        const isOver = errors.length > 0 || !isWorthwhile({ seconds, frames })
        if (isOver || isSo(seen)) return seen
        await sleep(LOOK_MILLISECONDS)
      }
    },
    [Symbol.asyncDispose]: () => page.close(),
  }
}

async function servePage() {
  const server = createServer((request, response) => {
    const file = files.get(request.url ?? '')
    if (!file) return response.writeHead(404).end()
    const type = extname(String(file)) === '.html' ? 'text/html' : 'text/javascript'
    readFile(file).then(
      (content) =>
        response.writeHead(200, { 'Content-Type': `${type}; charset=utf-8` }).end(content),
      () => response.writeHead(500).end(),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}
