/** Plays a video URL in Chromium with hls.js, shaka-player or dash.js, on a page of another origin. */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { extname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { openChromium } from './chromium.ts'
import { newStallDetector } from './stall-detector.ts'

export type Engine = 'hls.js' | 'shaka' | 'dash.js'

export type PlayOptions = {
  readonly engine: Engine
  readonly url: string
  /** Playback rate. */
  readonly rate?: number
  /** URL of the ClearKey license server, for shaka-player. */
  readonly licenseUrl?: string
  /** A script that runs before playback starts. */
  readonly prepare?: string
}

type PlaybackState = {
  readonly currentSeconds: number
  /** Position at which playback started; null before it starts. */
  readonly firstSeconds: number | null
  /** Duration of the video; null for a live stream. */
  readonly durationSeconds: number | null
  readonly hasEnded: boolean
  /** Decoded frames so far. */
  readonly frames: number
  readonly audioBytes: number
  /** Heights of the available qualities, smallest first. */
  readonly heights: readonly number[]
  /** Number of cues of the first subtitle track. */
  readonly cues: number
  readonly errors: readonly string[]
}

const POLL_MILLISECONDS = 100

const require = createRequire(import.meta.url)
const localFile = (name: string) => new URL(`player/${name}`, import.meta.url)

/** Files that the server of the test page serves, by URL path. */
const files = new Map<string, string | URL>([
  ['/', localFile('player.html')],
  ['/player.js', localFile('player.js')],
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
    /** Starts playback in a new page, and returns a viewer that observes it. */
    async play({ engine, url, rate = 1, licenseUrl, prepare }: PlayOptions): Promise<Viewer> {
      const page = await browser.newPage()
      await page.goto(`http://127.0.0.1:${port}/`)
      if (prepare) await page.evaluate(prepare)
      await page.evaluate(`start(${JSON.stringify({ engine, url, rate, licenseUrl })})`)
      return viewerOf(page)
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

export type Viewer = ReturnType<typeof viewerOf>

function viewerOf(page: Page) {
  const watched = async () => (await page.evaluate('watched()')) as PlaybackState
  return {
    watched,
    evaluate: <T>(script: string) => page.evaluate<T>(script),
    /** A screenshot, because scripts of the page cannot read encrypted video. */
    screenshot: () => page.locator('video').screenshot(),
    /** Polls until the condition is met, an error occurs or playback stalls; returns the last state. */
    async watchUntil(condition: (watched: PlaybackState) => boolean): Promise<PlaybackState> {
      const isProgressing = newStallDetector()
      for (;;) {
        const seen = await watched()
        const { currentSeconds: seconds, frames, errors } = seen
        const isOver = errors.length > 0 || !isProgressing({ seconds, frames })
        if (isOver || condition(seen)) return seen
        await sleep(POLL_MILLISECONDS)
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
      (content) => response.writeHead(200, { 'Content-Type': `${type}; charset=utf-8` }).end(content),
      () => response.writeHead(500).end(),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}
