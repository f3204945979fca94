import type { Check } from '../check.ts'
import { failed, ok } from '../check-result.ts'
import type { DoctorContext } from '../context.ts'
import { type DoctorResponse, NoResponse, request } from '../request.ts'

/** Maximum number of requests: multivariant playlist, media playlist and segment. */
const STEPS_MAX = 3

const HINT =
  'Check that PLAYBACK_URL of the API is a URL that viewers can reach, and that it leads to /play of the API or to the edge in front of it.'

/** Fetches playlists and the first segment, like a player. */
export const playback: Check = {
  name: 'playback',
  description: 'playback',
  needs: ['processing'],
  run: async (context) => {
    let address = context.shared.playbackUrl ?? ''
    const { origin } = new URL(address)
    for (let step = 1; step <= STEPS_MAX; step++) {
      const response = await fetched(context, address)
      if (typeof response === 'string') return failed(`The video cannot be fetched from ${origin}: ${response}.`, HINT)
      const next = firstAddress(response.body.toString('utf8'))
      if (next === undefined)
        return step === 1
          ? failed(`The response of ${origin} is not a playlist.`, HINT)
          : ok(`The video can be fetched from ${origin}, down to its first segment.`)
      address = new URL(next, address).href
    }
    return failed(`The playlists at ${origin} do not lead to a segment.`, HINT)
  },
}

/** Returns the response, or why it cannot be used. */
async function fetched({ origin, signal }: DoctorContext, url: string): Promise<DoctorResponse | string> {
  try {
    const response = await request(url, signal, origin === undefined ? {} : { headers: { origin } })
    if (response.status !== 200) return `it responds with ${response.status}`
    const allowed = response.headers.get('access-control-allow-origin')
    if (origin !== undefined && allowed !== '*' && allowed !== origin)
      return `it does not allow pages of ${origin} to read it`
    return response
  } catch (error) {
    if (error instanceof NoResponse) return error.message
    throw error
  }
}

/** Returns the first URL of a playlist; undefined if the text is not a playlist. */
function firstAddress(text: string): string | undefined {
  if (!text.startsWith('#EXTM3U')) return undefined
  return text.split('\n').find((line) => line !== '' && !line.startsWith('#'))
}
