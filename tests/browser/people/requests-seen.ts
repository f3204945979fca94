/** The requests that a browser really sent to a server, also those whose responses it hides from the page. */
import type { Page } from 'playwright-core'

export type SentRequest = {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly hasCookie: boolean
  readonly status: number | undefined
}

/** Headers as sent, in lower case: HTTP/1.1 keeps the case of names. */
const lowerCase = (headers: Record<string, string>) =>
  new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/**
 * Records the requests of a page to an origin. Reads them from the network layer of Chromium, because a response that
 * fails the checks of CORS is only an error everywhere else.
 */
export async function recordRequests(page: Page, origin: string): Promise<() => readonly SentRequest[]> {
  const session = await page.context().newCDPSession(page)
  const urls = new Map<string, { readonly url: string; readonly method: string }>()
  const cookies = new Map<string, boolean>()
  const statuses = new Map<string, number>()
  session.on('Network.requestWillBeSent', ({ requestId, request: { url, method } }) => {
    urls.set(requestId, { url, method })
  })
  session.on('Network.requestWillBeSentExtraInfo', ({ requestId, headers }) => {
    cookies.set(requestId, lowerCase(headers).get('cookie')?.includes('reelkeep-session=') ?? false)
  })
  session.on('Network.responseReceivedExtraInfo', ({ requestId, statusCode }) => {
    statuses.set(requestId, statusCode)
  })
  await session.send('Network.enable')
  return () =>
    [...urls].flatMap(([requestId, { url, method }]) => {
      const hasCookie = cookies.get(requestId)
      if (!url.startsWith(`${origin}/`) || hasCookie === undefined) return []
      return [{ method, path: url.slice(origin.length), hasCookie, status: statuses.get(requestId) }]
    })
}
