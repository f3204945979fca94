/**
 * Checks a small model exhaustively: visits every reachable state, breadth first, so that the reported path to a
 * violation is the shortest.
 */
export type Model<State> = {
  readonly initial: State
  /** Possible next events, with the resulting states. */
  readonly next: (state: State) => readonly (readonly [event: string, state: State])[]
  /** The violated rule; undefined if the state is valid. */
  readonly fault: (state: State) => string | undefined
  /**
   * Whether the system may stay in this state. From every state, such a state must be reachable through events for
   * which `isOurs` returns true.
   */
  readonly isRest: (state: State) => boolean
  /** Whether the system triggers the event by itself. */
  readonly isOurs: (event: string) => boolean
}

export type Verdict =
  | { readonly kind: 'sound'; readonly states: number }
  | { readonly kind: 'broken'; readonly fault: string; readonly path: readonly string[] }

type Visit<State> = {
  readonly state: State
  readonly cameFrom: { readonly key: string; readonly event: string } | undefined
}

/** Maximum number of states of a model. */
const STATES_MAX = 1_000_000

export function checkModel<State>(model: Model<State>): Verdict {
  const keyOf = (state: State) => JSON.stringify(state)
  const visits = new Map<string, Visit<State>>()
  const backwards = new Map<string, string[]>()
  const queue = [model.initial]
  visits.set(keyOf(model.initial), { state: model.initial, cameFrom: undefined })
  for (let index = 0; index < queue.length; index++) {
    if (visits.size > STATES_MAX) throw new Error(`More than ${STATES_MAX} states`)
    const state = queue[index] as State
    const key = keyOf(state)
    const fault = model.fault(state)
    if (fault) return { kind: 'broken', fault, path: pathTo(visits, key) }
    for (const [event, after] of model.next(state)) {
      const afterKey = keyOf(after)
      if (model.isOurs(event)) backwards.set(afterKey, [...(backwards.get(afterKey) ?? []), key])
      if (visits.has(afterKey)) continue
      visits.set(afterKey, { state: after, cameFrom: { key, event } })
      queue.push(after)
    }
  }
  const stuck = firstStuck(visits, backwards, model.isRest)
  if (stuck) return { kind: 'broken', fault: 'stuck forever', path: pathTo(visits, stuck) }
  return { kind: 'sound', states: visits.size }
}

/** Returns the first state from which no state that satisfies `isRest` can be reached. */
function firstStuck<State>(
  visits: ReadonlyMap<string, Visit<State>>,
  backwards: ReadonlyMap<string, readonly string[]>,
  isRest: (state: State) => boolean,
): string | undefined {
  const fine = new Set<string>()
  const open = [...visits].filter(([, { state }]) => isRest(state)).map(([key]) => key)
  for (let key = open.pop(); key !== undefined; key = open.pop()) {
    if (fine.has(key)) continue
    fine.add(key)
    open.push(...(backwards.get(key) ?? []))
  }
  return [...visits.keys()].find((key) => !fine.has(key))
}

function pathTo<State>(visits: ReadonlyMap<string, Visit<State>>, to: string): string[] {
  const path: string[] = []
  let step = visits.get(to)?.cameFrom
  while (step) {
    path.unshift(step.event)
    step = visits.get(step.key)?.cameFrom
  }
  return path
}
