/**
 * Encryption flags of the packager. They are passed in a file, because all users of the machine can read command lines.
 */
import { findPartAudio, partRungs } from '../encode/part-tracks.ts'
import type { Part, Plan, TrackName } from '../plan/plan.ts'
import { firstIv } from './cenc-ivs.ts'
import { type Encryption, keyFor } from './encryption.ts'

export const FLAGS_FILE = 'encryption.flags'

/** Returns the flags. `random` is a random number of this run. */
export function encryptionFlags(encryption: Encryption, plan: Plan, part: Part, random: number): string {
  const keys = part.tracks.map(({ name }) => {
    const { kid, key, iv } = keyFor(encryption, name)
    const first =
      encryption.scheme === 'cbcs'
        ? iv
        : firstIv({ track: numberOf(plan, name), random, frames: framesOf(plan, part, name) })
    return `label=${name}:key_id=${hex(kid)}:key=${hex(key)}:iv=${hex(first)}`
  })
  const lines = [
    '--enable_raw_key_encryption',
    `--protection_scheme=${encryption.scheme}`,
    // The packager leaves the first seconds unencrypted by default.
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
  const rung = partRungs(plan, part).find(({ rung }) => rung.name === track)
  const found = rung ?? (track === 'audio' ? findPartAudio(plan, part) : undefined)
  if (!found) throw new Error(`${track} is not in the plan`)
  return found.frames
}
