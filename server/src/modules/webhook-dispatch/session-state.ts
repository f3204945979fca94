/**
 * State machine of an endpoint session, the time in which a worker delivers to a webhook that it has claimed. Pure:
 * `next` turns a state and an event into the new state and the actions to start, and each action reports one event.
 *
 *     delivering → paused      no response, Retry-After, or an internal error
 *     paused → delivering      a request that was in flight succeeded
 *     either → draining        claim released or lost, webhook disabled, organization suspended, worker stopping
 *     draining → ended         nothing is in flight
 *
 * In the first three phases an exchange may run: one round trip that writes the results that have arrived and, when the
 * queue is empty, reads the due events, or releases the webhook if nothing is due and nothing else is in flight. Only
 * one runs at a time; results that arrive during it are written together by the next one. No delivery starts while one
 * reads. Its read may return events that were in flight when it started; these are skipped.
 */
import type { DeliveryResult } from './attempt-delivery.ts'
import type { ClaimedWebhook, DueEvent, Endpoint } from './claims.store.ts'
import type { DisableReason, Outcome } from './delivery.rules.ts'
import type { DeliveredEvent } from './results.store.ts'

/** Maximum number of concurrent deliveries to one webhook, at most one per subject. */
const IN_FLIGHT_MAX = 8

/** Maximum number of concurrent deliveries after a pause, until one succeeds. */
const IN_FLIGHT_AFTER_PAUSE_MAX = 1

/** After this many exchanges in a row without a delivery, the session ends; the next poll starts a new one. */
const EMPTY_EXCHANGES_MAX = 3

export type SessionState = {
  readonly phase: Phase
  readonly endpoint: Endpoint
  /** When the endpoint was read, by the process's clock. */
  readonly readAt: number
  /** Numbers of the events in flight. A delivery is in flight until its result is written. */
  readonly inFlight: ReadonlySet<number>
  /** Results that the next exchange writes, in the order of their arrival. */
  readonly results: readonly DeliveredEvent[]
  readonly exchange: Exchange | undefined
  readonly emptyExchanges: number
  /** A delivery failed, and no read since has certainly seen its result. */
  readonly mayBeFailing: boolean
  /** There may be events that were recorded after the last read. */
  readonly isWoken: boolean
}

type Phase =
  | { readonly is: 'delivering'; readonly queue: readonly DueEvent[] }
  | { readonly is: 'paused' | 'draining' | 'ended' }

type Exchange = {
  /** The deliveries that were in flight when the exchange started. */
  readonly inFlight: SessionState['inFlight']
  /** No result has arrived since the exchange started. */
  readonly seesAllResults: boolean
}

/** Sends a request to the endpoint of the current state. */
type Deliver = { readonly type: 'deliver'; readonly due: DueEvent }

/** Writes the results, disables the webhook and records that as an event. */
type Disable = {
  readonly type: 'disable'
  readonly results: readonly DeliveredEvent[]
  readonly because: DisableReason
}

/** Pauses the webhook after an internal error, without counting a failure. */
type Pause = { readonly type: 'pause'; readonly events: readonly DueEvent[] }

type RunExchange = {
  readonly type: 'exchange'
  readonly results: readonly DeliveredEvent[]
  /** Delay events that are due behind one that backs off. */
  readonly delaysBlocked: boolean
  /** Release the webhook if nothing is due. */
  readonly releases: boolean
  /** Read the due events. */
  readonly reads: boolean
}

export type Action = Deliver | Disable | Pause | RunExchange

/** The events that the action delivers, delays or writes. */
export function eventsOf(action: Action): readonly DueEvent[] {
  if (action.type === 'deliver') return [action.due]
  return action.type === 'pause' ? action.events : action.results.map(({ due }) => due)
}

type Attempted = {
  readonly type: 'attempted'
  readonly action: Deliver
  /** Result of the request; undefined if it was aborted. */
  readonly result: DeliveryResult | undefined
}
type Exchanged = {
  readonly type: 'exchanged'
  readonly action: RunExchange
  /** Whether all results were written; false if the claim was lost or a caller changed a delivery. */
  readonly isWritten: boolean
  /** What was read; undefined if the webhook is no longer claimed, or the database was unavailable for too long. */
  readonly claimed: ClaimedWebhook | undefined
  readonly readAt: number
}
type Failed = {
  readonly type: 'failed'
  readonly action: Action
  readonly cause: 'suspended' | 'internalError'
}

export type SessionEvent =
  | { readonly type: 'started' | 'woken' | 'stopped' }
  | { readonly type: 'disabled' | 'paused'; readonly action: Action }
  | (Attempted | Exchanged | Failed)

type Step = { readonly state: SessionState; readonly actions: readonly Action[] }

export const initialState = ({ endpoint, due }: ClaimedWebhook, readAt: number): SessionState => ({
  phase: { is: 'delivering', queue: due },
  ...{ endpoint, readAt },
  inFlight: new Set(),
  results: [],
  exchange: undefined,
  emptyExchanges: 0,
  mayBeFailing: false,
  isWoken: false,
})

export function next(state: SessionState, event: SessionEvent): Step {
  switch (event.type) {
    case 'started':
      return proceed(state)
    case 'woken':
      return proceed({ ...state, isWoken: true })
    case 'stopped':
      return proceed(draining(state))
    case 'attempted':
      return event.result ? onResult(state, event.action.due, event.result) : proceed(finished(state, event.action))
    case 'exchanged':
      return proceed(onExchanged(state, event))
    case 'disabled':
      return proceed(draining(finished(state, event.action)))
    case 'paused':
      return proceed(finished(state, event.action))
    case 'failed':
      return onFailed(state, event)
  }
}

/** Starts all actions that can be started now. */
function proceed(before: SessionState): Step {
  const { state, actions } = startDeliveries(before)
  if (state.exchange || state.phase.is === 'ended') return { state, actions }
  if (state.inFlight.size === 0) return onIdle(state)
  const needsRead = state.isWoken && state.phase.is === 'delivering' && !hasQueue(state) && freePlaces(state) > 0
  if (!needsRead && state.results.length === 0) return { state, actions }
  const exchange = startExchange(state)
  return { state: exchange.state, actions: [...actions, ...exchange.actions] }
}

function startDeliveries(state: SessionState): Step {
  const { phase } = state
  if (phase.is !== 'delivering') return { state, actions: [] }
  const due = phase.queue.slice(0, freePlaces(state))
  if (due.length === 0) return { state, actions: [] }
  const inFlight = new Set([...state.inFlight, ...due.map(({ number }) => number)])
  const queue = phase.queue.slice(due.length)
  return {
    state: { ...state, phase: { is: 'delivering', queue }, inFlight, emptyExchanges: 0 },
    actions: due.map((due) => ({ type: 'deliver', due })),
  }
}

/** Called when nothing is in flight and nothing is known to be due. */
function onIdle(state: SessionState): Step {
  const { phase, emptyExchanges } = state
  if (phase.is === 'draining' || emptyExchanges >= EMPTY_EXCHANGES_MAX)
    return { state: { ...state, phase: { is: 'ended' } }, actions: [] }
  const counted = { ...state, emptyExchanges: emptyExchanges + 1 }
  return startExchange(counted, { delaysBlocked: phase.is === 'delivering' })
}

function startExchange(state: SessionState, { delaysBlocked = false } = {}): Step {
  const { inFlight, results, isWoken } = state
  const reads = !hasQueue(state)
  const releases = reads && inFlight.size === results.length
  return {
    state: { ...state, results: [], exchange: { inFlight, seesAllResults: true }, isWoken: isWoken && !reads },
    actions: [{ type: 'exchange', results, delaysBlocked, releases, reads }],
  }
}

function onResult(before: SessionState, due: DueEvent, { attempt, outcome }: DeliveryResult): Step {
  const { delivery, disable: because } = outcome
  const result = { attempt, delivery, webhook: changedHealth(before, outcome.webhook) }
  const results = [...before.results, { due, result }]
  const state = withHealth(before, outcome.webhook)
  if (because) return { state: { ...state, results: [] }, actions: [{ type: 'disable', results, because }] }
  return proceed({ ...state, results })
}

/** Returns the health to write; undefined if the webhook certainly has it already. */
function changedHealth(
  { endpoint, mayBeFailing }: SessionState,
  webhook: Outcome['webhook'],
): Outcome['webhook'] | undefined {
  const isFailing = endpoint.failingSeconds !== null
  if (webhook.health === 'failing') return isFailing ? undefined : webhook
  if (webhook.health === 'paused') return webhook
  return isFailing || endpoint.wasPaused || mayBeFailing ? webhook : undefined
}

/** Applies a result at once, because deliveries may start before the next read. */
function withHealth(state: SessionState, { health }: Outcome['webhook']): SessionState {
  const { endpoint, exchange } = state
  const isHealthy = health === 'healthy'
  const failingSeconds = isHealthy ? null : (endpoint.failingSeconds ?? 0)
  const wasPaused = !isHealthy && (endpoint.wasPaused || health === 'paused')
  return {
    ...state,
    phase: phaseAfter(state.phase, health),
    endpoint: { ...endpoint, failingSeconds, wasPaused },
    exchange: exchange && { ...exchange, seesAllResults: false },
    mayBeFailing: state.mayBeFailing || !isHealthy,
  }
}

function phaseAfter(phase: Phase, health: Outcome['webhook']['health']): Phase {
  if (phase.is === 'delivering' && health === 'paused') return { is: 'paused' }
  if (phase.is === 'paused' && health === 'healthy') return { is: 'delivering', queue: [] }
  return phase
}

/** Applies what the exchange has read. Results known here take precedence unless the read has seen all of them. */
function onExchanged(before: SessionState, { action, isWritten, claimed, readAt }: Exchanged): SessionState {
  const { exchange, endpoint } = before
  const after = finished(before, action)
  // If a result was not written, the events that were read before may be outdated too.
  if (!action.reads) return isWritten ? after : withQueue(after, [])
  if (!claimed || !exchange) return draining(after)
  const queue = claimed.due.filter(({ number }) => !exchange.inFlight.has(number))
  const state = { ...withQueue(after, queue), readAt }
  if (exchange.seesAllResults) return { ...state, endpoint: claimed.endpoint, mayBeFailing: false }
  const { failingSeconds: known, wasPaused } = endpoint
  const failingSeconds = known === null ? null : known + (readAt - before.readAt) / 1000
  return { ...state, endpoint: { ...claimed.endpoint, failingSeconds, wasPaused } }
}

/** An internal error would recur at once, so it pauses the webhook. */
function onFailed(state: SessionState, { action, cause }: Failed): Step {
  if (cause === 'suspended' || action.type === 'pause') return proceed(draining(finished(state, action)))
  const events = eventsOf(action)
  const pause = { type: 'pause' as const, events }
  const paused = { ...state, endpoint: { ...state.endpoint, wasPaused: true } }
  // An exchange without results stays open until the pause is written.
  if (events.length === 0) return { state: draining(paused), actions: [pause] }
  const phase = phaseAfter(state.phase, 'paused')
  const exchange = action.type === 'exchange' ? undefined : state.exchange
  return { state: { ...paused, phase, exchange }, actions: [pause] }
}

/** Ends the deliveries or the exchange of the action. */
function finished(state: SessionState, action: Action): SessionState {
  const numbers = new Set(eventsOf(action).map(({ number }) => number))
  const endsExchange = action.type === 'exchange' || numbers.size === 0
  return {
    ...state,
    exchange: endsExchange ? undefined : state.exchange,
    inFlight: state.inFlight.difference(numbers),
  }
}

const draining = (state: SessionState): SessionState =>
  state.phase.is === 'ended' ? state : { ...state, phase: { is: 'draining' } }

const withQueue = (state: SessionState, queue: readonly DueEvent[]): SessionState =>
  state.phase.is === 'delivering' ? { ...state, phase: { is: 'delivering', queue } } : state

const hasQueue = ({ phase }: SessionState) => phase.is === 'delivering' && phase.queue.length > 0

function freePlaces({ endpoint, inFlight }: SessionState): number {
  const inFlightMax = endpoint.wasPaused ? IN_FLIGHT_AFTER_PAUSE_MAX : IN_FLIGHT_MAX
  return Math.max(0, inFlightMax - inFlight.size)
}
