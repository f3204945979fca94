import { recordedSpans } from '@reelkeep/testkit/recorded-spans'
import { beforeEach, describe, expect, it } from 'vitest'
import { beginRequest, CHILD_SPANS_MAX, continueTrace, currentTraceparent, endSpan, traced, within } from './tracing.ts'

beforeEach(() => recordedSpans.reset())

const from = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const nothing = async () => {}

async function callStorage(times: number): Promise<void> {
  for (let call = 0; call < times; call += 1) await traced('storage', {}, nothing)
}
const job = (work: () => Promise<void>) => continueTrace(from, { name: 'job', attributes: {} }, work)
const named = (name: string) => recordedSpans.getFinishedSpans().filter((span) => span.name === name)
const leftOut = (name: string) => named(name)[0]?.attributes['spans_left_out']

describe('spans beneath a job', () => {
  it('are all created up to the limit', async () => {
    await job(() => callStorage(CHILD_SPANS_MAX))
    expect(named('storage')).toHaveLength(CHILD_SPANS_MAX)
    expect(leftOut('job')).toBeUndefined()
  })

  it('are omitted beyond the limit, and spans_left_out counts them', async () => {
    await job(() => callStorage(CHILD_SPANS_MAX + 1000))
    expect(named('storage')).toHaveLength(CHILD_SPANS_MAX)
    expect(leftOut('job')).toBe(1000)
  })

  it('count towards the limit at any depth', async () => {
    const transaction = () => traced('transaction', {}, () => callStorage(CHILD_SPANS_MAX))
    await job(async () => {
      await transaction()
      await transaction()
    })
    expect(recordedSpans.getFinishedSpans()).toHaveLength(1 + CHILD_SPANS_MAX)
    expect(leftOut('job')).toBe(CHILD_SPANS_MAX + 2)
  })

  it('have a separate limit for each job', async () => {
    await job(() => callStorage(CHILD_SPANS_MAX + 1))
    recordedSpans.reset()
    await job(() => callStorage(1))
    expect(named('storage')).toHaveLength(1)
  })
})

it('spans beneath a request are omitted beyond the limit', async () => {
  const request = beginRequest('listFolders', undefined, {})
  if (!request) throw new Error('the request is not traced')
  await within(request, () => callStorage(CHILD_SPANS_MAX + 3))
  endSpan(request, false)
  expect(named('storage')).toHaveLength(CHILD_SPANS_MAX)
  expect(leftOut('listFolders')).toBe(3)
})

it('currentTraceparent returns a header with which continueTrace continues the trace', async () => {
  let header: string | undefined
  await job(async () => {
    header = currentTraceparent()
  })
  await continueTrace(header, { name: 'later', attributes: {} }, nothing)
  const [parent, child] = [named('job')[0], named('later')[0]]
  expect(header).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01$/)
  expect(child?.parentSpanContext?.spanId).toBe(parent?.spanContext().spanId)
})

it.each([undefined, '', 'nonsense', `ff${from.slice(2)}`, from.toUpperCase()])(
  'beginRequest starts a new trace if the header is %j',
  (header) => {
    const request = beginRequest('listFolders', header, {})
    if (!request) throw new Error('the request is not traced')
    endSpan(request, false)
    expect(named('listFolders')[0]?.parentSpanContext).toBeUndefined()
  },
)
