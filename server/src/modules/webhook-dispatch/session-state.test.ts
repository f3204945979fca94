import { describe, expect, it } from 'vitest'
import type { DueEvent, Endpoint } from './claims.store.ts'
import type { Outcome } from './delivery.rules.ts'
import { type Action, eventsOf, initialState, next, type SessionEvent, type SessionState } from './session-state.ts'

const healthyEndpoint = { wasPaused: false, failingSeconds: null } as Endpoint
const pausedEndpoint = { wasPaused: true, failingSeconds: 10 } as Endpoint
const failingEndpoint = { wasPaused: false, failingSeconds: 10 } as Endpoint

const dueEvents = (...numbers: readonly number[]) =>
  numbers.map((number) => ({ number, subject: `subject ${number}` }) as DueEvent)

const waiting = { state: 'waiting', backoffSeconds: 5, failures: 1 } as const
const paused = { health: 'paused', backoffSeconds: 5, noResponses: 1 } as const
const outcomeOf = (delivery: Outcome['delivery'], webhook: Outcome['webhook'], disable?: 'gone'): Outcome => ({
  delivery,
  webhook,
  disable,
})
const success = outcomeOf({ state: 'delivered' }, { health: 'healthy' })
const errorResponse = outcomeOf(waiting, { health: 'failing' })
const noResponse = outcomeOf(waiting, paused)
const gone = outcomeOf({ state: 'failed' }, { health: 'failing' }, 'gone')

const attempt = { url: '', milliseconds: 1, status: 200, answer: '', error: null }

const numbersOf = (action: Action) => eventsOf(action).map(({ number }) => number)

/** Runs the state machine of an endpoint session and keeps the actions that it has started and not ended. */
class Session {
  state: SessionState
  pending: Action[] = []

  constructor(numbers: readonly number[], endpoint = healthyEndpoint) {
    this.state = initialState({ endpoint, due: dueEvents(...numbers) }, 0)
    this.apply({ type: 'started' })
  }

  apply(event: SessionEvent): void {
    const { state, actions } = next(this.state, event)
    this.state = state
    this.pending.push(...actions)
  }

  get phase() {
    return this.state.phase.is
  }

  /** The pending actions as short texts, such as `deliver 1` and `exchange 1 2`. */
  get actions() {
    return this.pending.map((action) => [action.type, ...numbersOf(action)].join(' '))
  }

  take<Type extends Action['type']>(type: Type, ...numbers: readonly number[]) {
    const text = [type, ...numbers].join(' ')
    const index = this.actions.indexOf(text)
    if (index < 0) throw new Error(`${text} is not pending: ${this.actions}`)
    return this.pending.splice(index, 1)[0] as Extract<Action, { readonly type: Type }>
  }

  respond(number: number, outcome: Outcome): void {
    const result = { attempt, outcome }
    this.apply({ type: 'attempted', action: this.take('deliver', number), result })
  }

  /** Ends the exchange that writes these results and does not read. */
  write(numbers: readonly number[], isWritten = true): void {
    const action = this.take('exchange', ...numbers)
    expect(action.reads).toBe(false)
    this.apply({ type: 'exchanged', action, isWritten, claimed: undefined, readAt: 0 })
  }

  /** Ends the exchange that writes the results of these deliveries and reads. */
  exchange(
    numbers: readonly number[],
    read: { due?: readonly number[]; endpoint?: Endpoint; readAt?: number } | 'released',
  ): void {
    const action = this.take('exchange', ...numbers)
    const { due = [], endpoint = healthyEndpoint, readAt = 0 } = read === 'released' ? {} : read
    const claimed = read === 'released' ? undefined : { endpoint, due: dueEvents(...due) }
    this.apply({ type: 'exchanged', action, isWritten: true, claimed, readAt })
  }

  fail(action: Action, cause: 'suspended' | 'internalError' = 'internalError'): void {
    this.apply({ type: 'failed', action, cause })
  }
}

describe('an endpoint session', () => {
  it('starts at most 8 deliveries at a time, oldest first', () => {
    const session = new Session([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect(session.actions).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((number) => `deliver ${number}`))
    session.respond(3, success)
    session.write([3])
    expect(session.actions.at(-1)).toBe('deliver 9')
  })

  it('starts one delivery after a pause, and up to 8 once it has succeeded', () => {
    const session = new Session([1, 2, 3], pausedEndpoint)
    expect(session.actions).toEqual(['deliver 1'])
    session.respond(1, success)
    expect(session.actions).toEqual(['deliver 2', 'deliver 3', 'exchange 1'])
  })
})

describe('an endpoint session with results', () => {
  it('writes the last result in the same round trip as the read and the release', () => {
    const session = new Session([1])
    session.respond(1, success)
    expect(session.actions).toEqual(['exchange 1'])
    expect(session.pending).toMatchObject([{ releases: true, reads: true, delaysBlocked: false }])
    session.exchange([1], 'released')
    expect(session.phase).toBe('ended')
  })

  it('writes the results that arrive during an exchange together, in the next one', () => {
    const session = new Session([1, 2, 3, 4])
    session.respond(1, success)
    session.respond(3, success)
    session.respond(2, success)
    expect(session.actions).toEqual(['deliver 4', 'exchange 1'])
    session.exchange([1], {})
    expect(session.actions).toEqual(['deliver 4', 'exchange 3 2'])
  })

  it('writes results without a read while due events are known', () => {
    const session = new Session([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    session.respond(1, success)
    expect(session.pending.at(-1)).toMatchObject({ type: 'exchange', reads: false, releases: false })
    session.write([1])
    session.respond(2, success)
    session.write([2])
    session.respond(3, success)
    expect(session.pending.at(-1)).toMatchObject({ type: 'exchange', reads: true, releases: false })
  })

  it('skips events of a read that were in flight when the read started, even if they have ended since', () => {
    const session = new Session([1, 2, 3])
    session.respond(1, success)
    session.respond(2, success)
    session.exchange([1], { due: [2, 3, 4] })
    expect(session.actions).toEqual(['deliver 3', 'deliver 4', 'exchange 2'])
  })

  it('discards events that were read before if a result was not written, because they may be outdated', () => {
    const session = new Session([1, 2, 3, 4, 5, 6, 7, 8, 9])
    session.respond(1, success)
    session.write([1], false)
    expect(session.actions).not.toContain('deliver 9')
    session.respond(2, success)
    expect(session.pending.at(-1)).toMatchObject({ type: 'exchange', reads: true })
  })

  it('ends after the deliveries in flight when a read finds that the claim was lost', () => {
    const session = new Session([1, 2])
    session.respond(1, success)
    session.exchange([1], 'released')
    expect(session.phase).toBe('draining')
    session.respond(2, success)
    session.exchange([2], 'released')
    expect(session.phase).toBe('ended')
  })

  it('writes nothing for an aborted request', () => {
    const session = new Session([1, 2])
    session.apply({ type: 'attempted', action: session.take('deliver', 1), result: undefined })
    expect(session.actions).toEqual(['deliver 2'])
  })
})

describe('the health of the webhook', () => {
  /** The health that the pending exchange writes with the result of this delivery. */
  const written = ({ pending }: Session, number: number) =>
    pending.flatMap((action) => ('results' in action ? action.results : [])).find(({ due }) => due.number === number)
      ?.result.webhook

  it('is not written if it is certainly unchanged', () => {
    const session = new Session([1])
    session.respond(1, success)
    expect(session.actions).toEqual(['exchange 1'])
    expect(written(session, 1)).toBeUndefined()
    const failing = new Session([1], failingEndpoint)
    failing.respond(1, errorResponse)
    expect(failing.actions).toEqual(['exchange 1'])
    expect(written(failing, 1)).toBeUndefined()
  })

  it.each([
    ['failing', failingEndpoint],
    ['paused', pausedEndpoint],
  ])('is reset by a success of a %s webhook', (_, endpoint) => {
    const session = new Session([1], endpoint)
    session.respond(1, success)
    expect(written(session, 1)).toEqual({ health: 'healthy' })
  })

  it('is reset by the next success if a failure was written while the webhook was read', () => {
    const session = new Session([1, 2, 3])
    session.respond(1, success)
    session.respond(2, errorResponse)
    session.exchange([1], {})
    session.respond(3, success)
    session.exchange([2], { endpoint: failingEndpoint })
    expect(written(session, 3)).toEqual({ health: 'healthy' })
  })

  it('keeps a failure that a concurrent read may have missed, and updates how long it has lasted', () => {
    const session = new Session([1, 2, 3], failingEndpoint)
    session.respond(1, errorResponse)
    session.respond(2, errorResponse)
    session.exchange([1], { readAt: 5000 })
    expect(session.state.endpoint).toMatchObject({ failingSeconds: 15 })
    expect(session.state.readAt).toBe(5000)
  })

  it('is not updated from a read during which a result arrived', () => {
    const session = new Session([1, 2, 3])
    session.respond(1, errorResponse)
    session.respond(2, success)
    session.exchange([1], { endpoint: failingEndpoint })
    expect(session.state.endpoint.failingSeconds).toBeNull()
    session.respond(3, success)
    session.exchange([2], { endpoint: failingEndpoint })
    expect(session.state.endpoint.failingSeconds).toBeNull()
    expect(session.state.mayBeFailing).toBe(true)
  })

  it('is updated from a read that has seen all results', () => {
    const session = new Session([1, 2])
    session.respond(1, errorResponse)
    session.exchange([1], { endpoint: failingEndpoint })
    expect(session.state).toMatchObject({ endpoint: failingEndpoint, mayBeFailing: false })
  })
})

describe('a paused endpoint session', () => {
  it('starts no delivery and releases the webhook when no request is in flight', () => {
    const session = new Session([1, 2])
    session.respond(1, noResponse)
    expect(session.phase).toBe('paused')
    session.exchange([1], { due: [3] })
    expect(session.actions).toEqual(['deliver 2'])
    session.respond(2, noResponse)
    expect(session.take('exchange', 2).releases).toBe(true)
  })

  it('discards the events that it has read, and continues when a request in flight succeeds', () => {
    const session = new Session([1, 2, 3, 4, 5, 6, 7, 8, 9])
    session.respond(1, noResponse)
    session.respond(2, success)
    expect(session.phase).toBe('delivering')
    expect(session.actions).not.toContain('deliver 9')
    session.exchange([1], { due: [9] })
    expect(session.actions).toContain('deliver 9')
  })
})

describe('an idle endpoint session', () => {
  it('delays blocked events, and ends after three exchanges without a delivery', () => {
    const session = new Session([])
    for (let count = 0; count < 3; count++) {
      expect(session.pending).toMatchObject([{ type: 'exchange', results: [], delaysBlocked: true, releases: true }])
      session.exchange([], {})
    }
    expect(session.phase).toBe('ended')
    expect(session.actions).toEqual([])
  })
})

describe('a wake-up of an endpoint session', () => {
  it('causes a read at once if there is room for more deliveries', () => {
    const session = new Session([1])
    session.apply({ type: 'woken' })
    expect(session.pending).toMatchObject([{ type: 'deliver' }, { releases: false }])
    expect(session.state.isWoken).toBe(false)
    session.exchange([], { due: [1, 2] })
    expect(session.actions).toEqual(['deliver 1', 'deliver 2'])
  })

  it('causes another exchange if it arrives during one', () => {
    const session = new Session([1, 2])
    session.respond(1, success)
    session.apply({ type: 'woken' })
    expect(session.actions).toEqual(['deliver 2', 'exchange 1'])
    session.exchange([1], {})
    expect(session.actions).toEqual(['deliver 2', 'exchange'])
  })

  it.each([
    ['due events are known', [1, 2, 3, 4, 5, 6, 7, 8, 9], healthyEndpoint],
    ['there is no room for more deliveries', [1], pausedEndpoint],
  ])('causes a read later if %s', (_, numbers, endpoint) => {
    const session = new Session(numbers, endpoint)
    session.apply({ type: 'woken' })
    expect(session.actions.filter((action) => action.startsWith('exchange'))).toEqual([])
    expect(session.state.isWoken).toBe(true)
  })

  it('is still recorded when the session ends without another read', () => {
    const session = new Session([1])
    session.respond(1, success)
    session.apply({ type: 'woken' })
    session.exchange([1], 'released')
    expect(session.phase).toBe('ended')
    expect(session.state.isWoken).toBe(true)
  })
})

describe('a stopping endpoint session', () => {
  it('writes the results of requests in flight, starts no delivery, and ends', () => {
    const session = new Session([1, 2, 3, 4, 5, 6, 7, 8, 9])
    session.apply({ type: 'stopped' })
    session.apply({ type: 'woken' })
    for (let number = 1; number <= 8; number++) session.respond(number, success)
    session.exchange([1], { due: [9] })
    expect(session.phase).toBe('draining')
    session.exchange([2, 3, 4, 5, 6, 7, 8], { due: [9] })
    expect(session.phase).toBe('ended')
    expect(session.actions).toEqual([])
  })

  it('ends at once if it has not started', () => {
    const claimed = { endpoint: healthyEndpoint, due: dueEvents(1) }
    const { state, actions } = next(initialState(claimed, 0), { type: 'stopped' })
    expect(state.phase.is).toBe('ended')
    expect(actions).toEqual([])
  })

  it('waits for a running exchange', () => {
    const session = new Session([])
    session.apply({ type: 'stopped' })
    expect(session.phase).toBe('draining')
    session.exchange([], {})
    expect(session.phase).toBe('ended')
  })
})

describe('disabling the webhook', () => {
  it('writes the results that have arrived before', () => {
    const session = new Session([1, 2, 3])
    session.respond(1, success)
    session.respond(2, success)
    session.respond(3, gone)
    expect(session.actions).toEqual(['exchange 1', 'disable 2 3'])
    session.exchange([1], {})
    session.apply({ type: 'disabled', action: session.take('disable', 2, 3) })
    expect(session.phase).toBe('ended')
  })

  it('ends the session after the deliveries in flight', () => {
    const session = new Session([1, 2])
    session.respond(1, gone)
    const action = session.take('disable', 1)
    expect(action.because).toBe('gone')
    session.apply({ type: 'disabled', action })
    expect(session.phase).toBe('draining')
    session.respond(2, success)
    session.exchange([2], 'released')
    expect(session.phase).toBe('ended')
  })
})

describe('an internal error', () => {
  it('during a request pauses the webhook; the session then releases it', () => {
    const session = new Session([1, 2])
    session.fail(session.take('deliver', 1))
    expect(session.phase).toBe('paused')
    expect(session.state.endpoint).toMatchObject({ wasPaused: true, failingSeconds: null })
    session.fail(session.take('deliver', 2))
    expect(session.actions).toEqual(['pause 1', 'pause 2'])
    session.apply({ type: 'paused', action: session.take('pause', 1) })
    session.apply({ type: 'paused', action: session.take('pause', 2) })
    expect(session.take('exchange')).toMatchObject({ releases: true, delaysBlocked: false })
  })

  it('while a result is written does not prevent writing the next result', () => {
    const session = new Session([1, 2])
    session.respond(1, success)
    session.fail(session.take('exchange', 1))
    session.respond(2, success)
    expect(session.actions).toEqual(['pause 1', 'exchange 2'])
  })

  it('while several results are written delays all their events', () => {
    const session = new Session([1, 2, 3])
    for (const number of [1, 2, 3]) session.respond(number, success)
    session.exchange([1], {})
    session.fail(session.take('exchange', 2, 3))
    expect(session.actions).toEqual(['pause 2 3'])
    session.apply({ type: 'paused', action: session.take('pause', 2, 3) })
    expect(session.take('exchange').releases).toBe(true)
  })

  it('while deliveries are read ends the session when the pause is written', () => {
    const session = new Session([])
    session.fail(session.take('exchange'))
    expect(session.actions).toEqual(['pause'])
    session.apply({ type: 'woken' })
    expect(session.phase).toBe('draining')
    session.apply({ type: 'paused', action: session.take('pause') })
    expect(session.phase).toBe('ended')
  })

  it('while the pause is written ends the session', () => {
    const session = new Session([1])
    session.fail(session.take('deliver', 1))
    session.fail(session.take('pause', 1))
    expect(session.phase).toBe('ended')
  })
})

describe('a suspended organization', () => {
  it('ends the session without another write', () => {
    const session = new Session([1, 2])
    session.respond(1, success)
    session.fail(session.take('exchange', 1), 'suspended')
    expect(session.phase).toBe('draining')
    session.respond(2, success)
    session.fail(session.take('exchange', 2), 'suspended')
    expect(session.phase).toBe('ended')
    expect(session.actions).toEqual([])
  })
})

describe('any order of events in an endpoint session', () => {
  const EVENTS = 60

  /** Deterministic numbers in [0, 1). */
  const randomNumbers = (seed: number) => {
    let value = seed
    return () => {
      value = (value * 48_271) % 2_147_483_647
      return value / 2_147_483_647
    }
  }

  class Database {
    readonly waiting = new Set([1])
    readonly delivered: number[] = []
    readonly reads = new Map<Action, readonly number[]>()

    /** Writes the result and returns the due events. */
    commit(action: Action): readonly number[] {
      for (const number of numbersOf(action)) if (this.waiting.delete(number)) this.delivered.push(number)
      return [...this.waiting].slice(0, 16)
    }
  }

  /** Ends an action. An exchange takes two calls: one reads the database, and a later one ends the exchange. */
  function end(action: Action, session: Session, database: Database): void {
    const due = database.reads.get(action)
    if (action.type === 'deliver') session.respond(action.due.number, success)
    else if (!due) database.reads.set(action, database.commit(action))
    else if (action.type === 'exchange' && action.reads) session.exchange(numbersOf(action), { due })
    else session.write(numbersOf(action))
  }

  function run(seed: number): readonly number[] {
    const [random, database] = [randomNumbers(seed), new Database()]
    const session = new Session([...database.waiting])
    for (let last = 1; session.phase !== 'ended'; ) {
      if (last < EVENTS && (random() < 0.2 || database.waiting.size === 0)) {
        database.waiting.add(++last)
        session.apply({ type: 'woken' })
      }
      const action = session.pending[Math.floor(random() * session.pending.length)]
      if (action) end(action, session, database)
      const numbers = session.pending.flatMap(numbersOf)
      expect(numbers.length).toBeLessThanOrEqual(8)
      expect(new Set(numbers).size).toBe(numbers.length)
      expect(session.actions.filter((text) => text.startsWith('exchange')).length).toBeLessThan(2)
    }
    return database.delivered.toSorted((one, other) => one - other)
  }

  it('leads to one request per event, with at most 8 deliveries and one exchange at a time', () => {
    const all = Array.from({ length: EVENTS }, (_, index) => index + 1)
    for (let seed = 1; seed <= 50; seed++) expect(run(seed)).toEqual(all)
  })
})
