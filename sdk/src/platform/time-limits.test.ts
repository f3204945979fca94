/** How long a request to storage may take, by Node's client and by `fetch`, which edge runtimes have. */
import { describe, expect, it, vi } from 'vitest'
import { openScriptedServer } from '../../testing/scripted-server.ts'
import { TimeoutError } from '../http/errors.ts'
import { openSource as openInNode } from './node.ts'

// It has the same names; its own types are those of pages, which this is not compiled for.
const { openSource: openOnTheWeb } = await vi.importActual<typeof import('./node.ts')>('./web.ts')

const file = new Blob(['sixteen bytes...'])
const range = { begin: 0, end: file.size }
const { signal } = new AbortController()
const THIRTY_DAYS_SECONDS = 30 * 86_400

describe.each([
  ['Node', openInNode],
  ['fetch', openOnTheWeb],
])('a request by %s', (_, openSource) => {
  it('ends when nothing moves', async () => {
    using server = await openScriptedServer('silence')
    const source = await openSource(file)
    const manner = { onSent() {}, signal, idleSeconds: 0.1 }
    await expect(source.put(server.url, range, manner)).rejects.toThrow(TimeoutError)
    await source.close()
  })

  it.each([THIRTY_DAYS_SECONDS, Number.POSITIVE_INFINITY])(
    'is waited for although its limit is more than a timer can count: %d',
    async (idleSeconds) => {
      using server = await openScriptedServer((response) => {
        setTimeout(() => response.end('late'), 100)
      })
      const source = await openSource(file)
      const answer = await source.put(server.url, range, { onSent() {}, signal, idleSeconds })
      expect(answer).toEqual({ status: 200, text: 'late' })
      await source.close()
    },
  )
})
