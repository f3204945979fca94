/** What the packager is told about encryption: in a file, because everybody on the machine may read a command line. */
import { rungsOf, soundOf } from '../part/part-tracks.ts'
import type { Part, Plan, TrackName } from '../plan/plan.ts'
import { counterOf } from './counters.ts'
import { type Encryption, keyFor } from './encryption.ts'

export const FLAGS_FILE = 'encryption.flags'

/** `drawn` is a number of this run. */
export function encryptionFlags(
  encryption: Encryption,
  plan: Plan,
  part: Part,
  drawn: number,
): string {
  const keys = part.tracks.map(({ name }) => {
    const { kid, key, iv } = keyFor(encryption, name)
    const first =
      encryption.scheme === 'cbcs'
        ? iv
        : counterOf({ track: numberOf(plan, name), drawn, frames: framesOf(plan, part, name) })
    return `label=${name}:key_id=${hex(kid)}:key=${hex(key)}:iv=${hex(first)}`
  })
  const lines = [
    '--enable_raw_key_encryption',
    `--protection_scheme=${encryption.scheme}`,
    // By itself it leaves the first seconds in the clear.
    '--clear_lead=0',
    `--keys=${keys.join()}`,
    `--pssh=${hex(Buffer.concat(encryption.pssh))}`,
  ]
  return `${lines.join('\n')}\n`
}

const hex = (bytes: Buffer) => bytes.toString('hex')

const numberOf = ({ rungs }: Plan, track: TrackName) =>
  track === 'audio' ? rungs.length : rungs.findIndex(({ name }) => name === track)

function framesOf(plan: Plan, part: Part, track: TrackName) {
  const rung = rungsOf(plan, part).find((one) => one.rung.name === track)
  const found = rung ?? (track === 'audio' ? soundOf(plan, part) : undefined)
  if (!found) throw new Error(`${track} is not in the plan`)
  return found.frames
}
