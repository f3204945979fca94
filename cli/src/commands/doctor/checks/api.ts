import type { Check } from '../check.ts'
import { failed, ok } from '../check-result.ts'
import { NoResponse, request } from '../request.ts'

const urlOf = (url: string, path: string) => url.replace(/\/+$/, '') + path

export const apiReachable: Check = {
  name: 'api-reachable',
  description: 'API reachability',
  needs: [],
  run: async ({ profile: { url }, signal, shared }) => {
    try {
      const { clockAheadSeconds } = await request(urlOf(url, '/livez'), signal)
      if (clockAheadSeconds !== undefined) shared.apiAheadSeconds = clockAheadSeconds
      return ok(`${url} responds.`)
    } catch (error) {
      if (!(error instanceof NoResponse)) throw error
      return failed(
        `${url} does not respond: ${error.message}.`,
        'Check that the API is running and that REELKEEP_URL (or `reelkeep login`) is its URL as seen from this machine.',
      )
    }
  },
}

export const apiIsReelkeep: Check = {
  name: 'api-is-reelkeep',
  description: 'identity of the API',
  needs: ['api-reachable'],
  run: async ({ profile: { url }, signal }) => {
    const { status, body } = await request(urlOf(url, '/livez'), signal)
    if (status === 200 && statusIn(body) === 'alive') return ok('The API is Reelkeep.')
    return failed(
      `${url} responds with ${status}, but is not Reelkeep.`,
      'Use the URL of the API itself, without /api/v1. If there is a proxy in front of it, check where it forwards requests and whether the API is running.',
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
