import { describe, expect, it } from 'vitest'
import { openScriptedServer, problem, rejection } from '../../testing/scripted-server.ts'
import { ConflictError, ConnectionError } from '../reelkeep.ts'

const page = { body: { count: 0, next: null, previous: null, results: [] }, headers: { etag: '"one"' } }
const none = { chapters: [] }

describe('a call that changes a resource with an etag', () => {
  it('sends the etag of the list as If-Match, and returns the new one', async () => {
    using server = await openScriptedServer(page, { ...page, headers: { etag: '"two"' } })
    const { chapters } = server.client()
    const { etag } = await chapters.list('a')
    const replaced = await chapters.replace('a', none, { ifMatch: etag })
    expect([etag, replaced.etag]).toEqual(['"one"', '"two"'])
    expect(server.requests.map(({ headers }) => headers['if-match'])).toEqual([undefined, '"one"'])
  })

  it('throws ConflictError if the resource has changed', async () => {
    using server = await openScriptedServer(problem(412, 'changed_meanwhile'))
    const error = await rejection(server.client().chapters.replace('a', none, { ifMatch: '"one"' }))
    expect(error).toBeInstanceOf(ConflictError)
    expect(error).toMatchObject({ status: 412, code: 'changed_meanwhile' })
  })

  it('is not repeated after a lost response, because its own change would be reported as a conflict', async () => {
    using server = await openScriptedServer('disconnect', page)
    const error = await rejection(server.client().chapters.replace('a', none, { ifMatch: '"one"' }))
    expect(error).toBeInstanceOf(ConnectionError)
    expect(server.requests).toHaveLength(1)
    await server.client().chapters.replace('a', none)
  })
})
