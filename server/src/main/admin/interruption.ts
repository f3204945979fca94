import type { Surroundings } from '../surroundings.ts'

export class Interrupted extends Error {}

/** Ctrl-C ends what can be ended in good order, and so does whoever stops a service; a second one ends the process. */
export function interruption(around: Surroundings): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    around.once(signal, () =>
      controller.abort(new Interrupted('It was stopped. Run it again to go on.')),
    )
  return controller.signal
}
