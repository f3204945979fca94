import { describe, expect, it } from 'vitest'
import { type Answer, outcomeOf, retryAfterSeconds, type Standing } from './delivery.rules.ts'

const hour = 3600
const patience = { retrySeconds: 72 * hour, disableSeconds: 120 * hour, firstPauseSeconds: 5 }
const fresh: Standing = { silences: 0, refusals: 0, triedSeconds: 0, failingSeconds: undefined }
const silent: Answer = { kind: 'silent' }
const answered = (status: number, retryAfter?: number): Answer => ({
  kind: 'answered',
  status,
  ...(retryAfter !== undefined && { retryAfterSeconds: retryAfter }),
})
const judge = (answer: Answer, standing: Partial<Standing> = {}, random = 0) =>
  outcomeOf(answer, { ...fresh, ...standing }, patience, random)

describe('a success', () => {
  it.each([200, 201, 204, 299])('%i delivers and resets all failures', (status) => {
    expect(judge(answered(status), { silences: 9, failingSeconds: 1000 * hour })).toEqual({
      delivery: { state: 'delivered' },
      webhook: { is: 'well' },
      disable: undefined,
    })
  })
})

describe('an error response', () => {
  it.each([199, 300, 302, 400, 408, 409, 411, 429, 500, 503])('%i delays the event', (status) => {
    expect(judge(answered(status))).toEqual({
      delivery: { state: 'waiting', restSeconds: 5, refusals: 1 },
      webhook: { is: 'failing' },
      disable: undefined,
    })
  })

  it.each([
    [0, 5],
    [1, 300],
    [2, 1800],
    [3, 2 * hour],
    [4, 5 * hour],
    [5, 10 * hour],
    [6, 10 * hour],
    [100, 10 * hour],
  ])(
    'after %i failures delays the event by %i seconds, plus up to 20 %',
    (refusals, restSeconds) => {
      const { delivery } = judge(answered(500), { refusals })
      expect(delivery).toEqual({ state: 'waiting', restSeconds, refusals: refusals + 1 })
      const { delivery: late } = judge(answered(500), { refusals }, 0.999)
      expect(late).toMatchObject({ restSeconds: expect.closeTo(restSeconds * 1.2, -3) })
    },
  )

  it('a shorter first delay shortens all of them', () => {
    const shorter = { ...patience, firstPauseSeconds: 0.05 }
    const { delivery } = outcomeOf(answered(500), { ...fresh, refusals: 1 }, shorter, 0)
    expect(delivery).toMatchObject({ restSeconds: 3 })
  })

  it('410 disables the webhook at once', () => {
    expect(judge(answered(410))).toMatchObject({ delivery: { state: 'failed' }, disable: 'gone' })
  })
})

describe('Retry-After', () => {
  it.each([429, 503])(
    'with %i pauses the webhook and does not count against the event',
    (status) => {
      expect(judge(answered(status, 90), { silences: 2, refusals: 3 })).toEqual({
        delivery: { state: 'waiting', restSeconds: 90, refusals: 3 },
        webhook: { is: 'resting', restSeconds: 90, silences: 2 },
        disable: undefined,
      })
    },
  )

  it('is limited to one hour', () => {
    expect(judge(answered(429, 1e9)).webhook).toMatchObject({ restSeconds: hour })
  })

  it('is ignored with other statuses', () => {
    expect(judge(answered(500, 90)).webhook).toEqual({ is: 'failing' })
  })
})

describe('no response', () => {
  it.each([
    [0, 5],
    [1, 30],
    [2, 120],
    [3, 600],
    [4, 1800],
    [5, hour],
    [6, hour],
    [100, hour],
  ])('after %i in a row pauses the webhook for %i seconds', (silences, restSeconds) => {
    const { webhook } = judge(silent, { silences })
    expect(webhook).toEqual({ is: 'resting', restSeconds, silences: silences + 1 })
  })

  it('counts against the event at the first time, so that others go first', () => {
    const { delivery, webhook } = judge(silent, { refusals: 1 })
    expect(delivery).toEqual({ state: 'waiting', restSeconds: 300, refusals: 2 })
    expect(webhook).toMatchObject({ restSeconds: 5 })
  })

  it('does not count against the event after that: the event is due when the webhook is', () => {
    const { delivery } = judge(silent, { silences: 1, refusals: 1 })
    expect(delivery).toEqual({ state: 'waiting', restSeconds: 30, refusals: 1 })
  })
})

describe('giving up', () => {
  it('makes the last attempt at the end of the retry period', () => {
    const { delivery } = judge(answered(500), { refusals: 9, triedSeconds: 71 * hour })
    expect(delivery).toMatchObject({ state: 'waiting', restSeconds: hour })
  })

  it.each([answered(500), answered(429, 60), silent])(
    'fails the event after the retry period',
    (answer) => {
      const { delivery, disable } = judge(answer, { triedSeconds: 72 * hour, failingSeconds: 0 })
      expect(delivery).toEqual({ state: 'failed' })
      expect(disable).toBeUndefined()
    },
  )

  it('accepts a success after the retry period', () => {
    const { delivery } = judge(answered(200), { triedSeconds: 100 * hour })
    expect(delivery).toEqual({ state: 'delivered' })
  })

  it.each([answered(500), answered(429, 60), silent])(
    'disables a webhook that has failed for long enough',
    (answer) => {
      expect(judge(answer, { failingSeconds: 120 * hour - 1 }).disable).toBeUndefined()
      expect(judge(answer, { failingSeconds: 120 * hour }).disable).toBe('failing')
    },
  )
})

describe('retryAfterSeconds', () => {
  const now = new Date('2026-11-15T12:00:00Z')
  it.each([
    ['120', 120],
    ['Sun, 15 Nov 2026 12:01:30 GMT', 90],
    ['0', undefined],
    ['-5', undefined],
    ['Sun, 15 Nov 2026 11:00:00 GMT', undefined],
    ['soon', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%s: %s', (text, seconds) => {
    expect(retryAfterSeconds(text, now)).toBe(seconds)
  })
})
