import { describe, expect, it } from 'vitest'
import { type FailureHistory, outcomeOf, parseRetryAfter, type WebhookResponse } from './delivery.rules.ts'

const hour = 3600
const retryPolicy = { retrySeconds: 72 * hour, disableSeconds: 120 * hour, firstPauseSeconds: 5 }
const fresh: FailureHistory = {
  noResponses: 0,
  failures: 0,
  triedSeconds: 0,
  failingSeconds: undefined,
}
const noResponse: WebhookResponse = { kind: 'noResponse' }
const response = (status: number, retryAfter?: number): WebhookResponse => ({
  kind: 'response',
  status,
  ...(retryAfter !== undefined && { retryAfterSeconds: retryAfter }),
})
const outcome = (to: WebhookResponse, history: Partial<FailureHistory> = {}, random = 0) =>
  outcomeOf(to, { ...fresh, ...history }, { ...retryPolicy, random })

describe('a success', () => {
  it.each([200, 201, 204, 299])('with status %i delivers the event and resets all failures', (status) => {
    expect(outcome(response(status), { noResponses: 9, failingSeconds: 1000 * hour })).toEqual({
      delivery: { state: 'delivered' },
      webhook: { health: 'healthy' },
      disable: undefined,
    })
  })
})

describe('an error response', () => {
  it.each([199, 300, 302, 400, 408, 409, 411, 429, 500, 503])('with status %i delays the event', (status) => {
    expect(outcome(response(status))).toEqual({
      delivery: { state: 'waiting', backoffSeconds: 5, failures: 1 },
      webhook: { health: 'failing' },
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
  ])('after %i failures delays the event by %i seconds, plus up to 20 %', (failures, backoffSeconds) => {
    const { delivery } = outcome(response(500), { failures })
    expect(delivery).toEqual({ state: 'waiting', backoffSeconds, failures: failures + 1 })
    const { delivery: late } = outcome(response(500), { failures }, 0.999)
    expect(late).toMatchObject({ backoffSeconds: expect.closeTo(backoffSeconds * 1.2, -3) })
  })

  it('delays the event less if the first delay of the policy is shorter', () => {
    const shorter = { ...retryPolicy, firstPauseSeconds: 0.05, random: 0 }
    const { delivery } = outcomeOf(response(500), { ...fresh, failures: 1 }, shorter)
    expect(delivery).toMatchObject({ backoffSeconds: 3 })
  })

  it('with status 410 disables the webhook at once', () => {
    expect(outcome(response(410))).toMatchObject({ delivery: { state: 'failed' }, disable: 'gone' })
  })
})

describe('Retry-After', () => {
  it.each([429, 503])('with status %i pauses the webhook and does not count as a failure of the event', (status) => {
    expect(outcome(response(status, 90), { noResponses: 2, failures: 3 })).toEqual({
      delivery: { state: 'waiting', backoffSeconds: 90, failures: 3 },
      webhook: { health: 'paused', backoffSeconds: 90, noResponses: 2 },
      disable: undefined,
    })
  })

  it('pauses the webhook for at most one hour', () => {
    expect(outcome(response(429, 1e9)).webhook).toMatchObject({ backoffSeconds: hour })
  })

  it('is ignored with statuses other than 429 and 503', () => {
    expect(outcome(response(500, 90)).webhook).toEqual({ health: 'failing' })
  })
})

describe('a missing response', () => {
  it.each([
    [0, 5],
    [1, 30],
    [2, 120],
    [3, 600],
    [4, 1800],
    [5, hour],
    [6, hour],
    [100, hour],
  ])('after %i other missing responses pauses the webhook for %i seconds', (noResponses, backoffSeconds) => {
    const { webhook } = outcome(noResponse, { noResponses })
    expect(webhook).toEqual({ health: 'paused', backoffSeconds, noResponses: noResponses + 1 })
  })

  it('counts as a failure of the event the first time, so that other events go first', () => {
    const { delivery, webhook } = outcome(noResponse, { failures: 1 })
    expect(delivery).toEqual({ state: 'waiting', backoffSeconds: 300, failures: 2 })
    expect(webhook).toMatchObject({ backoffSeconds: 5 })
  })

  it('counts as a failure of the event only once: the event is then due when the webhook is no longer paused', () => {
    const { delivery } = outcome(noResponse, { noResponses: 1, failures: 1 })
    expect(delivery).toEqual({ state: 'waiting', backoffSeconds: 30, failures: 1 })
  })
})

describe('outcomeOf', () => {
  it('schedules the last attempt for the end of the retry period', () => {
    const { delivery } = outcome(response(500), { failures: 9, triedSeconds: 71 * hour })
    expect(delivery).toMatchObject({ state: 'waiting', backoffSeconds: hour })
  })

  it.each([response(500), response(429, 60), noResponse])('fails the event after the retry period', (given) => {
    const { delivery, disable } = outcome(given, { triedSeconds: 72 * hour, failingSeconds: 0 })
    expect(delivery).toEqual({ state: 'failed' })
    expect(disable).toBeUndefined()
  })

  it('accepts a success after the retry period', () => {
    const { delivery } = outcome(response(200), { triedSeconds: 100 * hour })
    expect(delivery).toEqual({ state: 'delivered' })
  })

  it.each([response(500), response(429, 60), noResponse])(
    'disables a webhook that has failed for 120 hours',
    (given) => {
      expect(outcome(given, { failingSeconds: 120 * hour - 1 }).disable).toBeUndefined()
      expect(outcome(given, { failingSeconds: 120 * hour }).disable).toBe('failing')
    },
  )
})

describe('parseRetryAfter', () => {
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
  ])('parses %s to %s', (text, seconds) => {
    expect(parseRetryAfter(text, now)).toBe(seconds)
  })
})
