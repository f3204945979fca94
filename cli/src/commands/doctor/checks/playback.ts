import { type Answered, ask, NoAnswer } from '../ask.ts'
import type { Check } from '../check.ts'
import { fault, fine } from '../finding.ts'
import type { Patient } from '../patient.ts'

/** A playlist of playlists, one of these, a segment: viewers go no deeper. */
const STEPS_MAX = 3

const CURE =
  'See that PLAYBACK_URL of the API is an address that viewers reach, which leads to /play of the API or to the edge in front of it.'

/** As a player does: playlists, then the first piece. */
export const playback: Check = {
  name: 'playback',
  what: 'whether the video can be fetched by its address',
  needs: ['processing'],
  look: async (patient) => {
    let address = patient.seen.playbackUrl ?? ''
    const { origin } = new URL(address)
    for (let step = 1; step <= STEPS_MAX; step++) {
      const answer = await fetched(patient, address)
      if (typeof answer === 'string')
        return fault(`The video cannot be fetched from ${origin}: ${answer}.`, CURE)
      const next = firstAddress(answer.body.toString('utf8'))
      if (next === undefined)
        return step === 1
          ? fault(`What is fetched from ${origin} is no playlist.`, CURE)
          : fine(`The video can be fetched from ${origin}, down to its first segment.`)
      address = new URL(next, address).href
    }
    return fault(`The playlists at ${origin} lead to no segment.`, CURE)
  },
}

/** The answer, or why there is none that could be used. */
async function fetched({ origin, signal }: Patient, url: string): Promise<Answered | string> {
  try {
    const answer = await ask(url, signal, origin === undefined ? {} : { headers: { origin } })
    if (answer.status !== 200) return `it answers ${answer.status}`
    const allowed = answer.headers.get('access-control-allow-origin')
    if (origin !== undefined && allowed !== '*' && allowed !== origin)
      return `it does not let pages of ${origin} read it`
    return answer
  } catch (error) {
    if (error instanceof NoAnswer) return error.message
    throw error
  }
}

/** Of a playlist: its first line that is no comment. Undefined: it is none. */
function firstAddress(text: string): string | undefined {
  if (!text.startsWith('#EXTM3U')) return undefined
  return text.split('\n').find((line) => line !== '' && !line.startsWith('#'))
}
