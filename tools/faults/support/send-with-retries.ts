import { setTimeout as sleep } from 'node:timers/promises'
import type { Send } from '@reelkeep/testkit'

const RETRY_SECONDS_MAX = 180

/** Repeats requests while the service is unavailable, like a persistent client. */
export const sendWithRetries =
  (api: () => { readonly send: Send } | undefined): Send =>
  async (request) => {
    const deadline = performance.now() + RETRY_SECONDS_MAX * 1000
    for (;;) {
      const answer = await api()
        ?.send(request)
        .catch(() => undefined)
      const isDone = answer && answer.status < 500 && answer.status !== 429
      // An earlier attempt, whose response was lost, may still be in progress.
      const isBusy = answer?.status === 409 && /idempotency_key_in_use/.test(answer.text)
      if (answer && isDone && !isBusy) return answer
      if (performance.now() > deadline) {
        throw new Error(`No response to ${request.method} ${request.path}: ${answer?.text}`)
      }
      await sleep(100)
    }
  }
