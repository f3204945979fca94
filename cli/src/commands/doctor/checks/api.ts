import { ask, NoAnswer } from '../ask.ts'
import type { Check } from '../check.ts'
import { fault, fine } from '../finding.ts'

const urlOf = (url: string, path: string) => url.replace(/\/+$/, '') + path

export const apiReachable: Check = {
  name: 'api-reachable',
  what: 'whether the API answers',
  needs: [],
  look: async ({ profile: { url }, signal, seen }) => {
    try {
      const { aheadSeconds } = await ask(urlOf(url, '/livez'), signal)
      if (aheadSeconds !== undefined) seen.apiAheadSeconds = aheadSeconds
      return fine(`${url} answers.`)
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      return fault(
        `${url} does not answer: ${error.message}.`,
        'See that the API runs and that REELKEEP_URL (or `reelkeep login`) has the address by which it is reached from here.',
      )
    }
  },
}

export const apiIsReelkeep: Check = {
  name: 'api-is-reelkeep',
  what: 'whether it is Reelkeep that answers',
  needs: ['api-reachable'],
  look: async ({ profile: { url }, signal }) => {
    const { status, body } = await ask(urlOf(url, '/livez'), signal)
    if (status === 200 && statusIn(body) === 'alive') return fine('It is Reelkeep that answers.')
    return fault(
      `Something else than Reelkeep answers at ${url}, with ${status}.`,
      'Give the address of the API itself, without /api/v1; if a proxy stands in front, see where it sends requests and whether the API behind it runs.',
    )
  },
}

export const apiReady: Check = {
  name: 'api-ready',
  what: 'whether the API is ready',
  needs: ['api-is-reelkeep'],
  look: async ({ profile: { url }, signal }) => {
    const { status, body } = await ask(urlOf(url, '/readyz'), signal)
    if (status === 200) return fine('The API is ready.')
    const { reason = `it answered ${status}` } = parsed(body) as { reason?: string }
    return fault(
      `The API is not ready: ${reason}.`,
      'Mend what it says at the server: `node server/src/main/doctor.ts api`, or `reelkeep doctor --operations` with its operations port, tells more.',
    )
  },
}

function parsed(body: Buffer): object {
  try {
    return Object(JSON.parse(body.toString('utf8')))
  } catch {
    return {}
  }
}

const statusIn = (body: Buffer) => (parsed(body) as { status?: unknown }).status
