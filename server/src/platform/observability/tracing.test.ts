import { keptSpans } from '@reelkeep/testkit/kept-spans'
import { beforeEach, describe, expect, it } from 'vitest'
import { beginRequest, continued, endSpan, SPANS_BENEATH_MAX, traced, within } from './tracing.ts'

beforeEach(() => keptSpans.reset())

const from = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const nothing = async () => {}

async function ask(times: number): Promise<void> {
  for (let asked = 0; asked < times; asked += 1) await traced('storage', {}, nothing)
}
const job = (work: () => Promise<void>) => continued(from, { name: 'job', facts: {} }, work)
const named = (name: string) => keptSpans.getFinishedSpans().filter((span) => span.name === name)
const leftOut = (name: string) => named(name)[0]?.attributes['spans_left_out']

describe('spans beneath a job', () => {
  it('are all made as long as there is room, and then nothing is said of it', async () => {
    await job(() => ask(SPANS_BENEATH_MAX))
    expect(named('storage')).toHaveLength(SPANS_BENEATH_MAX)
    expect(leftOut('job')).toBeUndefined()
  })

  it('are so many and no more, and it tells how many were left out', async () => {
    await job(() => ask(SPANS_BENEATH_MAX + 1000))
    expect(named('storage')).toHaveLength(SPANS_BENEATH_MAX)
    expect(leftOut('job')).toBe(1000)
  })

  it('count however deep they lie', async () => {
    const inTwo = () => traced('transaction', {}, () => ask(SPANS_BENEATH_MAX))
    await job(async () => {
      await inTwo()
      await inTwo()
    })
    expect(keptSpans.getFinishedSpans()).toHaveLength(1 + SPANS_BENEATH_MAX)
    expect(leftOut('job')).toBe(SPANS_BENEATH_MAX + 2)
  })

  it('leave room to the next job', async () => {
    await job(() => ask(SPANS_BENEATH_MAX + 1))
    keptSpans.reset()
    await job(() => ask(1))
    expect(named('storage')).toHaveLength(1)
  })
})

it('spans beneath a request are so many and no more', async () => {
  const request = beginRequest('listFolders', undefined, {})
  if (!request) throw new Error('the request is not traced')
  await within(request, () => ask(SPANS_BENEATH_MAX + 3))
  endSpan(request, false)
  expect(named('storage')).toHaveLength(SPANS_BENEATH_MAX)
  expect(leftOut('listFolders')).toBe(3)
})
