/** Encodes on real file systems that are full or read-only. */
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { canMount, mountSmallDisk } from '../../testing/disks/small-disk.ts'
import { planOf, rungOf } from '../../testing/plans.ts'
import { createSources } from '../../testing/sources/sources.ts'
import { openSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { localFile } from '../source/source.ts'
import { encodePart } from './encode-part.ts'
import { isTooHeavy } from './part-errors.ts'

let sources: string
let sandbox: Sandbox
beforeAll(async () => {
  sources = await createSources()
  sandbox = await openSandbox({ mode: 'bubblewrap' })
}, 300_000)

const never = new AbortController().signal
const plan = planOf({ durationSeconds: 9, audioStream: 1, rungs: [rungOf('240p', 320, 180)] })

async function encodeOn(directory: string) {
  const [part] = plan.parts
  if (!part) throw new Error('no part')
  return encodePart(sandbox, localFile(join(sources, 'plain.mp4')), plan, part, { directory, signal: never })
}

it.runIf(canMount)(
  'a full disk interrupts encoding, whichever program it stops, and is never blamed on the file',
  async () => {
    // From a disk that is too small for the first frames to one that lacks a few kilobytes for the last segment.
    for (const kilobytes of [16, 64, 112, 160]) {
      using disk = mountSmallDisk(kilobytes)
      const error = await encodeOn(disk.directory).then(
        () => new Error(`${kilobytes} KB are sufficient: ${readdirSync(disk.directory)}`),
        (failure: unknown) => failure,
      )
      expect(error).toMatchObject({ name: 'PartInterrupted', reason: 'worker-disk' })
      expect(isTooHeavy(error)).toBe(false)
    }
  },
)

it.runIf(canMount)('a disk that has become read-only interrupts encoding', async () => {
  using disk = mountSmallDisk(4096)
  const directory = join(disk.directory, 'part')
  mkdirSync(directory)
  disk.makeReadOnly()
  await expect(encodeOn(directory)).rejects.toMatchObject({ name: 'PartInterrupted', reason: 'worker-disk' })
})

it.runIf(canMount)('a part that fits on the disk is encoded', async () => {
  using disk = mountSmallDisk(8192)
  await expect(encodeOn(disk.directory)).resolves.toMatchObject({ tracks: [{ name: '240p' }, { name: 'audio' }] })
})
